// Package estimators measures scheduler/estimate on profiles and learning curves
// that others have measured.
//
// Speed: an iteration is predicted from one GPU, two GPUs of a node and two GPUs
// on two nodes, and compared with every other measured placement of the same
// job. Curves: the end of a job is predicted from the validation points that it
// had shown by then, and compared with when it ended.
//
// Nothing is judged by what was fitted on it. The samples of a prediction are
// those of its own job; whatever else was fitted (exponents of the shape, widths
// of intervals) comes from other applications than the one that is scored, which
// is leave-one-application-out.
package estimators
