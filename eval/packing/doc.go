// Package packing gives simulated jobs something to train, speeds beside each other
// that were measured, and logs that are read with the errors that the tracker makes;
// and it measures how well a pair that has become too slow is found.
//
// gavel-v100-pairs.csv: speeds of pairs on one V100, relative to running alone, from
// the throughputs that Gavel's authors measured (OSDI'20; stanford-futuredata/gavel
// @ c4fa400, MIT). Of its 26 workloads ResNet-50 at batch size 128 and Transformer at
// 256 are left out: beside many others they did not run.
//
// tracker.yaml: how the tracker errs, with its source.
package packing
