// Package schedmate is the vocabulary of the project: the nouns that every
// other package speaks and nothing else.
//
// A cluster and the jobs on it at one instant are a [Snapshot]. A policy turns
// a Snapshot into a [Plan]: a list of [Action] values and, for every job that
// keeps waiting, one [Reason]. A [Decision] ties the two together by hash, so
// that it can be derived again on another machine. What text, logs and models
// have to say about a job reaches a policy only as a [Fact]: typed,
// range-checked, expiring and with evidence.
//
// Conventions, stated once:
//
//   - Time is [Seconds], an integer, counted from an epoch that the source of
//     the data chooses (Unix time on a live cluster, the first submission in a
//     trace). One Snapshot has one epoch.
//   - GPUs are counted whole, as int. A part of a GPU is a [Share], an integer
//     count of thousandths. An [Allocation] is one (node, GPU, share).
//   - No field that takes part in a hash is a floating-point number.
//   - Texts are UTF-8. Other bytes have no canonical form.
//   - Every type states its invariant where it is declared. Validate checks that
//     of what comes from outside and returns a [FieldError] that names the field;
//     a Plan is judged against its Snapshot, by scheduler/verify.
//   - Slices are sorted as their declaration says. Nothing depends on the
//     iteration order of a map.
//
// The package imports the standard library only, and of that neither the
// clock, nor randomness, nor the network, nor the file system.
package schedmate

// APIVersion is the version that every document of this project carries.
const APIVersion = "schedmate/v1"
