// Package synthetic makes traces of clusters of which only aggregates have been
// published: the mean and the median run time, the mean gang, how jobs end and
// who used the GPU time, the hours at which people submit.
//
// published.yaml holds the figures with their sources; nothing of them stands in
// code. [Profile.Fit] finds the parameters with which a simple model has exactly
// these aggregates, [Recipe.Write] draws jobs from the model, and [Compare] puts
// what came out beside what was published.
//
// The model, for a job of g GPUs that ends in state s:
//
//   - g has the published shape of gangs, tilted by a power of g until its mean is
//     the published one;
//   - s is drawn with the published shares, whatever g;
//   - the run time is log-normal with median exp(a + b ln g + c_s) and one sigma,
//     cut off at a second and at the longest published run. a, b, sigma and the
//     c_s follow from the median and the mean run time, the total GPU time and the
//     share of it that each state used;
//   - submissions follow the hours and weekdays of Venus, and its bursts.
//
// What the aggregates do not say the model does not know: users, jobs that belong
// together, several peaks of run times. No job of a synthetic trace was ever run,
// and everything written from one says so.
package synthetic
