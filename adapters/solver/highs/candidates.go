package highs

import (
	"path/filepath"
	"runtime"
)

// Variable names the library by the environment: the full path of one file.
const Variable = "HIGHS_LIB"

// Candidates lists where a library may be, in the order in which they are tried.
// If the environment names one, it is the only one: who names a file means it.
// Else it is the one that `make highs` leaves in the state folder, and what the
// system's loader finds under the names of its packages. An empty folder has none.
func Candidates(env func(string) (string, bool), state string) []string {
	if named, ok := env(Variable); ok && named != "" {
		return []string{named}
	}
	var list []string
	if state != "" {
		list = append(list, InState(state))
	}
	if runtime.GOOS == "darwin" {
		// Homebrew's folders are not all among those that the loader searches.
		return append(list, "libhighs.dylib", "/opt/homebrew/lib/libhighs.dylib", "/usr/local/lib/libhighs.dylib")
	}
	return append(list, "libhighs.so.1", "libhighs.so")
}

// InState is the library in the state folder.
func InState(state string) string {
	name := "libhighs.so"
	if runtime.GOOS == "darwin" {
		name = "libhighs.dylib"
	}
	return filepath.Join(state, "highs", "lib", name)
}

// Next is what a person can do who has no library.
const Next = "run 'make highs' in SchedMate's source folder (needs python3, no compiler), or install libhighs1 (Debian 13; on Ubuntu where apt offers it) or highs (macOS, Homebrew), or set " + Variable + " to a library's full path"
