// Package neighbours estimates how long a job will run and how busy its GPUs
// will be, from what similar jobs did.
//
// The ladder, from the most to the least trustworthy rung:
//
//	exact       runs of the same work, brought to this GPU type and software
//	scaled      runs of the same work in another amount, times the ratio of work
//	neighbours  runs of related work
//	name        what this user's jobs of this name took
//	prior       what the caller computes without any history
//	none        nothing: better no number than a wrong one
//
// Each estimate names its rung, the runs it is made from, and why the rungs
// above did not serve. Its interval is as wide as the estimates of this rung
// have been wrong at this site.
package neighbours
