// Package themis serves the job first whose finish time suffers most from
// sharing (Themis, NSDI'20, sections 3 and 4: finish-time fairness).
//
//	rho   = T_shared / T_ideal
//	T_shared = now - submit + work left: when it would end if it ran from now on
//	T_ideal  = run time on 1/N of the cluster, N being the mean number of jobs
//	           that have shared the cluster with it, itself included
//	order = rho, the largest first; jobs without an estimate behind, by submit
//
// A job that runs keeps its GPUs for a lease, which begins when the restart that
// it owes is paid: else a lease shorter than a restart would get nowhere. When that is over it must give way
// to a waiting job whose rho is larger and that can be placed; else it has
// another lease.
//
// N is a mean over the job's life, which no snapshot shows, so the policy keeps
// the sum in its notes, with the ends of the leases.
//
// Left out is the auction. It makes users tell the truth about what they win by
// more GPUs; here a job has one gang, which it gets whole or not at all, and
// the policy reckons rho itself. For the same reason it does not matter how many
// of the jobs with the largest rho are asked (1 - f, in the paper a fifth).
package themis
