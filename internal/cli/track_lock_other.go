//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package cli

import "os"

// lockFile does nothing where files cannot be locked.
func lockFile(*os.File) error { return nil }
