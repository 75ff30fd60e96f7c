// Package milptest draws rounds of lease planning for the tests of the planner and
// of solvers, and says what a solver owes whoever asks it ([Contract]).
package milptest

// Random is where rounds are drawn from, such as a *rand.Rand: equal numbers give
// equal rounds.
type Random interface {
	Intn(n int) int
	Float64() float64
	NormFloat64() float64
}
