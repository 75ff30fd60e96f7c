// Package estimate says how long a job will take before it has run long: how
// fast a step is on GPUs that were not tried, how many iterations are left until
// a metric reaches its target, and what being stopped and resumed will cost.
//
// It is the estimator of UniSched (IEEE TC 2024, section III-B), whose code is
// not public. All results are pure functions of samples: no clock, no random
// number. Fits are sums over fixed grids in the order of the input, so that equal
// samples give equal bits on one architecture.
//
// What was not measured is not guessed. A prediction that needs a sample which
// is absent is an error that wraps [ErrMissing] and names the sample.
//
// Intervals hold what they promise only with a [Spread] that was calibrated on
// other applications; see eval/estimate, which measures that.
package estimate

import "errors"

// ErrMissing says that a sample is absent without which there is no answer. The
// error that wraps it names the sample.
var ErrMissing = errors.New("not measured")
