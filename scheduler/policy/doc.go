// Package policy lists the policies. Each lives in a package of its own, all
// of one shape: a package comment with the source and the order as a formula,
// Options, Descriptor with the presets, and Plan.
package policy
