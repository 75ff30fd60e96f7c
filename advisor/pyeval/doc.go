// Package pyeval follows what a Python program would do before it trains,
// without running it: a bounded abstract interpreter over syntax trees.
//
// A value is known, one of several candidates, or unknown with a reason, and
// carries its evidence. Code of the repository is interpreted on demand: an
// imported module runs when one of its names is first used. Code of other
// packages is a stub: a call to it is recorded as an observation with its
// arguments, and gives an opaque value that remembers the call; the libraries
// that decide over configuration (argparse, OmegaConf, dataclasses, ...) are
// modelled instead. A branch whose condition is unknown is followed on both
// sides, and what the two sides disagree on becomes a set of candidates.
//
// Nothing is executed, nothing outside the repository is read, and steps,
// depth, files, bytes and time are bounded.
package pyeval
