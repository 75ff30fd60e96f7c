// Package follow reads what is appended to many log files, once, and nothing
// else: the cost is that of the new bytes, however long the files are.
//
//	f, err := follow.New(follow.Options{Globs: []string{"/var/log/pods/*/*/*.log"}})
//	...
//	err = f.Run(ctx, func(c follow.Chunk) error { ... })
//
// # What a handler sees
//
// For each path, chunks come in this order:
//
//	Opened or Resumed          following begins, at Chunk.Offset
//	Data ...                   the bytes from there on
//	Truncated, Data ...        the same file was emptied or rewritten: from 0 again
//	Rotated, Data ...          the path names another file now: from 0 again
//	Gone                       the path names no file; Opened follows if one appears
//
// Failed may come at any place; following goes on. Whoever keeps state for a
// path starts it afresh at Opened, Truncated and Rotated, and only there.
//
// Data is exactly what was written: nothing twice, and nothing left out but in
// the cases listed below. A chunk counts as consumed when the handler returns
// nil; one that it refuses is delivered again. Holes of sparse files are skipped,
// so that a chunk may begin after the end of the one before; only short ones are
// delivered as the zeros that they read as.
//
// # How changes are noticed
//
// The folders of the files are watched (inotify on Linux), and a burst of
// events becomes one look at each file that changed. Watches may fail (limits)
// or be silent (a network file system tells nobody what other machines wrote).
// So every file is looked at from time to time as well: seldom if its folder is
// watched; often, the more so the fresher it is, if it is not, or if the watch
// has missed something. A file without a working watch is opened anew at each
// look, because some network file systems ask the server only then.
//
// # Which file is the same
//
// A file is a device and an inode, together with a [Fingerprint] of its first
// bytes and one of the last bytes before the offset, and the inode's generation
// where the file system tells it. So a recycled inode is not taken for the old
// file. Both fingerprints are compared at each read: a file that was emptied and
// has outgrown the old offset since shows nothing else. A file that is reached
// by several names is delivered once, under the name that was first, also across
// renames.
//
// A file that lost its name is read to its end, and for a while on
// (Options.Linger), before its successor is begun, because programs keep
// writing to a log that was renamed until they are told to open the new one.
//
// # What can be lost
//
// Bytes that nobody can read any more, and some that nobody can find:
//   - copytruncate: what was written after our last look and before the file
//     was emptied. If it then outgrows the old offset before we look again, and
//     has the same bytes there and at its head, even the emptying is not seen.
//   - a file that appears under a path and loses it again between two looks.
//   - the end of a file that was removed, or renamed into another folder, while
//     we held no descriptor of it (more files than Options.MaxOpen, or we were
//     not running).
//   - what goes to a file without a name after its successor has begun.
//   - what is written into a hole after that has been skipped.
//
// In the third case Chunk.Err of Rotated or Gone says so.
//
// # Limits
//
// One goroutine looks at all files, so a mount that hangs stops all of them:
// follow it with a Follower of its own. File systems that give a file a new
// inode number whenever they forget it make it look like another file each
// time. A network file system may show zero bytes in place of bytes that it
// has not fetched; they are delivered as they are. A file that was replaced by
// a longer copy of itself is another file. Compressed files are not unpacked.
package follow
