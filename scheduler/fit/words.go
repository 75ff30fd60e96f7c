package fit

import (
	"slices"
	"strings"

	"schedmate"
)

// word is one of the scheduler's reasons and what it means.
type word struct {
	word    string
	kind    Kind
	meaning string
}

// words are the reasons of Slurm 22.05 to 26.05 (job_state_reason.c), but for
// those of limits, which are put together from limitParts.
var words = []word{
	{"Priority", Priority, "Jobs of higher priority go first."},
	{"Resources", Resources, "What it needs is not free; mostly it is the next in line of its partition."},
	{"JobHeldUser", HeldByUser, "Its owner holds it; scontrol release lets it go on."},
	{"JobHeldAdmin", HeldByAdmin, "An operator or the system holds it; its owner cannot release it."},
	{"JobHoldMaxRequeue", HeldByAdmin, "It was requeued too often and is held."},
	{"MaxRequeue", HeldByAdmin, "It was requeued too often and is held."},
	{"job_requeued_in_held_state", HeldByUser, "It was requeued and is held; scontrol release lets it go on."},
	{"launch_failed_requeued_held", HeldByAdmin, "Its launch failed; it was requeued and is held."},
	{"JobLaunchFailure", HeldByAdmin, "It could not be launched."},
	{"SystemFailure", HeldByAdmin, "Slurm itself, a file system or a node failed while it was started."},
	{"NonZeroExitCode", HeldByAdmin, "An earlier run ended with an exit code that is not zero."},
	{"RaisedSignal", HeldByAdmin, "An earlier run ended by a signal."},
	{"OutOfMemory", HeldByAdmin, "An earlier run used more memory than it had."},
	{"BeginTime", BeginTime, "It asked not to start earlier, or was requeued a moment ago."},
	{"Dependency", Dependency, "It waits for other jobs."},
	{"DependencyNeverSatisfied", DependencyNever, "A job that it depends on ended in a way that rules it out; it will never start."},
	{"PartitionDown", PartitionDown, "Its partition is down: jobs queue and none starts."},
	{"PartitionInactive", PartitionDown, "Its partition is inactive: no jobs are taken or started."},
	{"PartitionNodeLimit", PartitionLimit, "It asks for more or fewer nodes than its partition allows, or for nodes that are not in it or are down."},
	{"PartitionTimeLimit", PartitionLimit, "It asks for more time than its partition allows."},
	{"PartitionConfig", PartitionLimit, "The configuration of its partition does not let it start."},
	{"Reservation", OwnReservation, "Its reservation is not active yet."},
	{"ReservationDeleted", OwnReservation, "Its reservation was deleted."},
	{"ReservationInvalid", OwnReservation, "Its reservation cannot be used by it."},
	{"Licenses", Licences, "Too few licences are free."},
	{"BadConstraints", NodeConstraint, "No nodes can be what it asks for."},
	{"Constraints", NodeConstraint, "No nodes can be what it asks for."},
	{"ReqNodeNotAvail", NodesUnavailable, "A node that it needs is down, drained, reserved or otherwise not available."},
	{"Nodes_required_for_job_are_DOWN", NodesUnavailable, "Nodes that it needs are down, drained, or kept for jobs of partitions that go first."},
	{"NodeDown", NodesUnavailable, "A node that it needs is down."},
	{"FrontEndDown", NodesUnavailable, "No front-end node can start it."},
	{"PowerNotAvail", NodesUnavailable, "Too little electrical power is available."},
	{"PowerReserved", NodesUnavailable, "Electrical power is reserved for others."},
	{"MaxPoweredUpNodes", NodesUnavailable, "As many nodes are powered up as the site allows."},
	{"None", NotLooked, "The scheduler has given no reason: mostly it has not looked at the job yet."},
	{"WaitingForScheduling", NotLooked, "The scheduler has not looked at the job yet."},
	{"SchedDefer", NotLooked, "The scheduler was told not to start jobs the moment they arrive."},
	{"Cleaning", Unknown, "It was requeued, and its former run is still being cleaned up."},
	{"Prolog", Unknown, "The prolog of its nodes is running."},
	{"BurstBufferResources", Unknown, "Too little burst buffer is free."},
	{"BurstBufferStageIn", Unknown, "The burst buffer is being filled for it."},
	{"BurstBufferOperation", Unknown, "An operation on the burst buffer failed."},
	{"FedJobLock", Unknown, "Another cluster of the federation is starting it."},
	{"DeadLine", Unknown, "It cannot end before its deadline."},
	{"TimeLimit", Unknown, "It used up its time limit."},
	{"InactiveLimit", Unknown, "It was inactive for too long."},
	{"InvalidAccount", PolicyLimit, "Its account does not exist or may not be used by it."},
	{"InvalidQOS", PolicyLimit, "Its QOS does not exist or may not be used by it."},
	{"AccountNotAllowed", PolicyLimit, "Its account may not use the partition."},
	{"QOSNotAllowed", PolicyLimit, "Its QOS may not be used there."},
	{"AccountingPolicy", PolicyLimit, "A limit of the account or the QOS is reached."},
	{"JobArrayTaskLimit", PolicyLimit, "As many tasks of the array run as its own limit (%N) allows."},
	{"QOSUsageThreshold", PolicyLimit, "The use of the account is above what the QOS asks for."},
	{"AssociationJobLimit", PolicyLimit, "The account or user has as many jobs as allowed."},
	{"AssociationResourceLimit", PolicyLimit, "The account or user holds as many resources as allowed."},
	{"AssociationTimeLimit", PolicyLimit, "The account or user has used as much time as allowed."},
	{"QOSJobLimit", PolicyLimit, "The QOS has as many jobs as allowed."},
	{"QOSResourceLimit", PolicyLimit, "The QOS holds as many resources as allowed."},
	{"QOSTimeLimit", PolicyLimit, "The QOS has used as much time as allowed."},
	{"MaxMemPerLimit", PolicyLimit, "It asks for more memory on a node or CPU than is allowed."},
	{"MaxJobsPerAccount", PolicyLimit, "The account has as many running jobs as the QOS allows."},
	{"MaxSubmitJobsPerAccount", PolicyLimit, "The account has as many jobs as the QOS allows."},
}

// limitParts are what the words of limits are made of: whose limit, of what, and
// over what it is counted, as in AssocGrp+GRES+RunMinutes or Max+Cpu+PerAccount.
var limitParts = struct{ whose, what, over []word }{
	whose: []word{
		{"AssocGrp", 0, "the account with all below it"}, {"AssocMax", 0, "the account or user"}, {"QOSGrp", 0, "the whole QOS"},
		{"QOSMax", 0, "the QOS"}, {"QOSMin", 0, "the QOS, which sets a least number,"}, {"Max", 0, "the QOS"},
	},
	what: []word{
		{"CPU", 0, "CPUs"}, {"Cpu", 0, "CPUs"}, {"Memory", 0, "memory"}, {"Mem", 0, "memory"}, {"Node", 0, "nodes"},
		{"GRES", 0, "GPUs or other generic resources"}, {"License", 0, "licences"}, {"BB", 0, "burst buffer"}, {"Energy", 0, "energy"},
		{"Billing", 0, "billing units"}, {"SubmitJobs", 0, "jobs in the queue"}, {"SubmitJob", 0, "jobs in the queue"},
		{"Jobs", 0, "running jobs"}, {"WallDuration", 0, "wall time"}, {"Wall", 0, "wall time"}, {"Unknown", 0, "some resource"},
	},
	over: []word{
		{"RunMinutes", 0, " times the minutes left of running jobs"}, {"MinutesPerJob", 0, " times minutes of one job"},
		{"Minutes", 0, " times minutes"}, {"PerJob", 0, " of one job"}, {"PerNode", 0, " of one node"}, {"PerUser", 0, " of one user"},
		{"PerAccount", 0, " of one account"}, {"NotSatisfied", 0, ""}, {"", 0, ""},
	},
}

// meaning finds what the scheduler's reason means. Text behind the word (nodes
// that are not available) does not matter, nor whether blanks are underscores.
func meaning(reason string) (w word, known bool) {
	reason = strings.Trim(strings.ReplaceAll(strings.TrimSpace(reason), " ", "_"), "()")
	if reason == "" {
		return words[slices.IndexFunc(words, func(w word) bool { return w.word == "None" })], true
	}
	end := strings.IndexAny(reason, ",:;")
	first := reason
	if end >= 0 {
		first = reason[:end]
	}
	for _, w := range words {
		if w.word == first {
			return w, true
		}
	}
	return limitWord(first)
}

// toldBy finds what the scheduler says of a job: its sentence tells more than its
// word, where it has one that is known. Who holds a job is told by its word.
func toldBy(j *schedmate.ObservedJob) (w word, known bool) {
	w, known = meaning(j.Reason)
	if j.Description == "" {
		return w, known
	}
	long, ok := meaning(j.Description)
	switch {
	case !ok, w.holds() && !long.holds():
		return w, known
	case w.holds():
		long.kind = w.kind
	}
	return long, true
}

// holds reports whether a reason is that somebody holds the job.
func (w word) holds() bool { return w.kind == HeldByUser || w.kind == HeldByAdmin }

func limitWord(reason string) (w word, known bool) {
	rest := strings.TrimSuffix(reason, "Limit")
	for _, whose := range limitParts.whose {
		after, ok := strings.CutPrefix(rest, whose.word)
		if !ok {
			continue
		}
		for _, what := range limitParts.what {
			over, ok := strings.CutPrefix(after, what.word)
			if !ok {
				continue
			}
			for _, o := range limitParts.over {
				if o.word == over {
					return word{reason, PolicyLimit, "A limit of " + whose.meaning + " is reached: " + what.meaning + o.meaning + "."}, true
				}
			}
		}
	}
	return word{reason, Unknown, ""}, false
}
