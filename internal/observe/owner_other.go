//go:build !unix

package observe

import "io/fs"

// isOurs cannot tell here; the folder is the user's own.
func isOurs(fs.FileInfo) bool { return true }
