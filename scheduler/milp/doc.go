// Package milp plans leases: which deadlines to promise, which spot jobs to
// serve now, and in which slots everybody runs, for the most reward.
//
// # The model
//
// The textbook model has a variable x[i,k] for job i in slot k. [Direct] writes
// it down; it is the reference and far too slow to plan with. All windows begin
// now, so they are nested, and the only question is which step of which policy
// each job is promised: y[i,c,s]. Of a gang of g GPUs and P leases by slot D,
// need(t) = max(0, P - max(0, D - t)) leases must lie in slots 1..t:
//
//	max  sum gain y      over one option a job, such that for every t
//	     sum g need(t) y <= G_1 + ... + G_t                     (prefix)
//
// The prefix rows are necessary; where capacity does not fall they are also
// sufficient for a calendar that may split gangs (max-flow, min-cut: of all slot
// sets of one size the first slots demand most and offer least). Where it falls,
// rows for other slot sets T follow the same idea:
//
//	sum g max(0, P - |window \ T|) y <= sum of G_k over T      (set T)
//
// Where the cells of slot 1 are pinned, those who must run there to keep their
// step, and spot jobs, share its free cells: one row for each size of cell.
// Whole gangs do not split, so the optimum of the rows is a bound, and a calendar
// is the proof of a value. [Prefix] and [Stock] write the rows for a solver; see
// [Solver] for what a solver is given and must answer.
//
// # Spot jobs
//
// Slot 1 is cut into sub-slots. Best-effort jobs and profilers hold some of them,
// one policy each. What they use in their fullest sub-slot lowers G_1 for
// everybody else; that makes capacity rise, so the prefix rows stay exact.
//
// # The engine
//
//  1. Prices: the Lagrangian dual of the prefix rows by subgradient steps. An
//     option costs its GPUs times the sum of slot prices over its latest slots,
//     two look-ups in a table of sums. The value is the bound of the linear
//     relaxation.
//  2. Greedy by reduced reward, then ruin and recreate on the slack of the rows.
//  3. The calendar: least laxity first, or latest slots first; where both fail,
//     a search over calendars.
//  4. Rounds of up to 1,000 jobs, with spot jobs of up to 400: branch and bound by
//     linear programs, until value and bound meet or its steps end. Rows are made
//     when a point breaks them: prefix rows, in GPUs and in rooms of each size of
//     gang, and rows of slot sets. A whole choice asks for its calendar: by simple
//     orders, by ejection, by exhaustive search. Where whole gangs cannot be mixed
//     into the slots (a linear program over sets of gangs, by column generation),
//     its prices make one more row; else a core of demands that cannot run together
//     does.
//  5. Spot jobs meet the others in slot 1 alone. The best service of the spot jobs
//     in some part of it is planned by itself, and the jobs with steps beside it;
//     what leaves them too little is cut out of the parts that are left.
//
// Rounds of up to 50 jobs are solved to a proof, in a millisecond mostly; so are
// rounds of the papers' size, unless calendars are tight. The hardest ones (a
// cluster of few of its largest gangs, twice overloaded, with three policies a job)
// may end with a few tenths of a per cent open, and their gap says so.
//
// Every step is counted. A [Budget] of n steps gives the first n steps of the
// same run on every machine, and a plan that can be carried out after any number
// of them. The random numbers of ruin and recreate come from the seed alone.
//
// Sources: CHRONUS, section 5, equations 1-5; UniSched for policies, sub-slots
// and the profiler as a job; Schrimpf et al. 2000 for ruin and recreate; Held,
// Wolfe and Crowder 1974 for the step lengths of the dual; Dantzig and Van Slyke
// 1967 for the linear programs with a key column a job; Gilmore and Gomory 1961 for
// sets of gangs as columns; Muntz and Coffman 1970 for calendars that may split.
package milp
