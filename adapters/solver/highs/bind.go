//go:build (linux || darwin) && (amd64 || arm64)

package highs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebitengine/purego"
)

// bind loads a library and finds its functions. A library that was loaded stays
// loaded, also when it is no good: there is no safe way to unload one.
func bind(path string) (*functions, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		text := err.Error()
		if !strings.Contains(text, path) {
			text = path + ": " + text
		}
		return nil, errors.New(text)
	}
	f := &functions{}
	for _, s := range f.symbols() {
		address, err := purego.Dlsym(handle, s.name)
		if err != nil || address == 0 {
			return nil, fmt.Errorf("%s has no function %s: is it HiGHS?", path, s.name)
		}
		purego.RegisterFunc(s.function, address)
	}
	return f, nil
}
