// Package handover is the protocol by which a lease ends: the state of the job
// is safe on the disk before its GPUs belong to anybody else.
//
//	running --lease ends--> saving --saved--> verifying --sound--> publishing --published--> stopping --stopped--> handed over
//	                          ^  |                |                    |                        |
//	                          |  | failed         | torn               | failed                 | time-out, no extension left
//	                          +--+----------------+--------------------+                        v
//	                       extension left: a new number            none left: stopping        stuck --stopped--> handed over
//
// A checkpoint is written under a temporary name of its own number and flushed,
// read back and compared with the checksum that the job computed in memory,
// and published by renaming it to the final name of its number, with a flush
// of the folder. Numbers are never used twice, so nothing published is ever
// replaced, and a writer that was given up and still writes can only spoil a
// temporary that nobody will publish.
//
// A step that fails or takes too long makes the lease longer as often as
// [Limits] say, and then the job loses what it did since the last published
// checkpoint. In no case are GPUs handed over before its processes are gone:
// where they cannot be stopped, the node is drained.
//
// What this promises, each at every moment and also if power fails there:
//
//   - what was reported as published can be resumed from, until something newer was;
//   - no published checkpoint is torn, except by the disk itself;
//   - once there were two, no single fault takes both away;
//   - disk space for Keep + 1 checkpoints suffices, and for those that the disk
//     spoiled while fewer than Keep valid ones are left: whoever reads a disk
//     wrongly today may read it rightly tomorrow.
//
// The package only decides. Whoever carries out the commands touches disks and
// processes, and tells what came of it. Source: CHRONUS has checkpoints at the
// end of leases and no protocol; the order (temporary, verify, publish,
// release) is that of crash-safe file replacement.
package handover
