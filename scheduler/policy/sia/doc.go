// Package sia gives adaptive jobs the types and numbers of GPUs on which they
// learn fastest, anew in every round (Sia, SOSP'23, section 3).
//
// A configuration is a type of GPU and a gang on it (goodput.Counts). What a
// configuration is worth to a job is the goodput that its own model predicts,
// divided by that of the job's worst one; on a type that the job has not had yet,
// it is that of the first type that it has a model of, times the ratio of the two
// types' speeds on one GPU. Everybody begins on one GPU and can at most double.
//
//	stay      = max(age - restarts * cost, 0) / (age + cost), of every configuration
//	            but the job's present one; cost is what a restart costs
//	A         = value^-0.5
//	minimise  sum A X + 1.1 (jobs - sum X)
//	subject to at most one configuration a job, the GPUs of each type, and the
//	           present configuration of jobs that are still starting
//
// The program is solved exactly: it is a knapsack with a few capacities of which
// each job takes at most one option, see choose. Gaps and effort stand in the plan.
package sia
