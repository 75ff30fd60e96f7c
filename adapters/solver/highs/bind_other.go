//go:build !((linux || darwin) && (amd64 || arm64))

package highs

import (
	"fmt"
	"runtime"
)

func bind(path string) (*functions, error) {
	return nil, fmt.Errorf("%s: libraries are bound on Linux and macOS with amd64 or arm64 processors, not on %s/%s", path, runtime.GOOS, runtime.GOARCH)
}
