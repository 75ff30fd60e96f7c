// Package rounds draws rounds of lease planning for tests and measurements: the
// sizes at which the planner is timed ([Sizes]), and kinds of small rounds that
// are hard to solve to the optimum ([Kinds]).
//
// Jobs are made as for the timings of the formulation: gangs of 1, 2, 4, 8 and
// 16 GPUs (45, 15, 15, 17 and 8 of a hundred), run times log-normal around 150
// minutes, deadlines at 1.2 to 2 times that, half of the jobs soft (100, 80, 50
// and 20 at 1.0, 1.1, 1.2 and 1.5 of the deadline), caught at a random point of
// their life. Load is how much of the capacity the first deadlines ask for, in
// the prefix where that is most.
//
// Equal random numbers give equal rounds.
package rounds
