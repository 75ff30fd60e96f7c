// Package explain says why a job waits: one [schedmate.Reason] a job, the
// binding one, with its numbers and a change that would start the job.
//
// It knows no policy's insides. It asks the policy itself what it would do if
// this or that were different, so that a reason is never a guess: the change it
// names has been planned with, and the job has started.
package explain
