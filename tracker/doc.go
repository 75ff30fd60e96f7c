// Package tracker reads the progress of a training job out of its log: step,
// step time, throughput, loss, validation curve and slowdowns. It knows no
// framework.
//
// Induce, then verify: package logs/series groups lines of one shape; a number
// that counts up by itself is a counter; the counter and a clock (a stamp in
// the line, an elapsed time) give the step time; every other number is tested
// for what it could be against that estimate and against arithmetic (printed
// percent, remaining time, parts that sum to a whole). Words such as step, loss
// or 验证 are evidence that weighs, never a rule that decides a value.
//
// A counter alone is no training. Without a witness (a loss, a learning rate, a
// metric that drifts) the tracker says nothing: a missing value makes the
// original policy go on, a wrong one misleads it. A loss is known by its name or
// by how it falls.
package tracker
