// Package facts makes the facts that a simulated policy is told as good, or as
// bad, as they were measured to be.
//
// A Model is a document that says how often each part of the semantic side
// answers, and how far off its answers are: drawn values, not means, written by
// Measure from what the parts answered on labelled cases. Apply gives the jobs
// of a trace what an advisor of that quality would have said about them, what
// their cluster would have believed without one, and the failures on their way,
// each handled as well as the handler was measured to.
//
// Every job draws from numbers of its own, all from one seed. Two models that
// differ in one figure therefore differ in what that figure does, and in
// nothing else: a sweep over it is not blurred by luck.
package facts
