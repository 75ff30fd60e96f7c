// Package livetest holds the tests of the commands on a live Slurm: what queue,
// why, track, diagnose and snapshot say about forty jobs whose truth is known,
// what they cost Slurm, and what they say while it is out of order. They run the
// program as a process of its own.
package livetest
