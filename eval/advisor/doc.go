// Package advisor replays a history of jobs through an estimator: every job is
// first a query, at its submission, and becomes a record when it has ended.
//
// No answer can know the future: the index is given a record only when the
// clock of the replay has passed its end, and the type that the records are
// read into has no place for their truth.
package advisor
