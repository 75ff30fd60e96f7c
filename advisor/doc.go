// Package advisor turns a submitted job's source and launch command into
// checked workload facts with evidence, a fingerprint, similar past jobs and an
// estimate of duration and utilisation.
//
// The way of a submission:
//
//	launch     request + command + wrapper scripts   -> the Python programs that run, and on what
//	pyeval     program + arguments                   -> calls observed on the way, by bounded abstract interpretation
//	conf       configuration files and their systems -> layered values
//	table      models, datasets, library defaults, absence rules: data with sources
//	advisor    all of these                          -> Metadata, each field with file:line and the layers it beat
//	fingerprint, neighbours                          -> hashes, similar jobs, estimate
//
// Everything in a repository is hostile input: it is read through
// source.Root alone, interpreted within budgets, and never executed.
package advisor
