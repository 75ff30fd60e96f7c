// Package fit says why a job of an [schedmate.Observation] waits, in numbers;
// when, and by the end of which running jobs, it would get what it needs; and
// which change would start it now.
//
// It places jobs on nodes as Slurm's select/cons_tres does, as simply as is
// right: a node gives a share (CPUs, memory, GPUs of a type or any, shards of
// one GPU), a job takes such shares of MinNodes to MaxNodes nodes. What it says
// is never read off the scheduler's word alone: each claim is a placement that
// was tried, each change was tried again with everything else unchanged. The
// scheduler's own word stands beside it, and whether the two agree.
//
// What is asked, in this order: is the job allowed to start at all (held, begin
// time, dependency, partition, limits, its reservation, licences)? Could it ever
// (features, named nodes, size)? Could it on the nodes that work, and are not
// reserved? Is enough free? Who goes first?
//
// What is looked at for one answer is bounded, in nodes and not by a clock. An answer
// that would need more says so and holds as far as it goes.
//
// What it does not see, and therefore does not claim: threads and sockets,
// binding of GPUs to cores, network topology, preemption, sharing of nodes
// (OverSubscribe), the numbers of limits of accounts and QOS, and reservations of
// parts of nodes, which count as of whole ones. The parts of a heterogeneous job
// are placed one by one. A constraint that cannot be read means that nothing is
// claimed.
//
// Who goes first, and in whose way, is told by areas: the nodes that could take a
// part of a job. Starts behind others are planned as backfilling plans them; where
// the scheduler tells its own plan with its nodes, that is what counts.
package fit
