//go:build !unix

package follow

import "io/fs"

func identityOf(fs.FileInfo) (Identity, bool) { return Identity{}, false }

func defaultMaxOpen() int { return 64 }
