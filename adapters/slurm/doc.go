// Package slurm reads a Slurm cluster, versions 22.05 to 26.05. It never
// changes anything: of Slurm's commands it runs those that show, and no other.
//
// One observation is one set of calls, whatever the number of jobs:
//
//	squeue --json -a                the queue; where that is not built in, squeue -O
//	scontrol -d -o show node        nodes, their GPUs and which are in use
//	scontrol -o show partition
//	scontrol -o show reservation
//	scontrol -o show license        if a job asks for licences
//	sacct -P                        past jobs, when they are asked for
//
// Where slurmrestd is configured, the same comes over HTTP from there.
//
// # What is believed
//
// Names, comments and paths of jobs are written by users and may hold anything:
// newlines, control characters, text that looks like Slurm's own. They are read
// from JSON, or between separators that are drawn anew for each call, so that
// nobody can forge a record. A word that is not known, such as the state of a
// newer version, is kept and shown. A record that cannot be read is left out and
// told as a gap; it does not take the others with it.
package slurm
