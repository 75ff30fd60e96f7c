// Package eval measures the product offline. An [Experiment] is a document: a
// trace, a cluster, policies and the published figures they are compared with;
// [Suite.Run] runs its policies, presets and seeds and returns a [Report].
//
// Traces are loaded by eval/traces; the experiments that the product ships are
// in eval/experiments.
package eval
