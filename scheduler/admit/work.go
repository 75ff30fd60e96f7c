package admit

import (
	"schedmate"
)

// Basis says what the work that a claim rests on was taken from.
type Basis string

const (
	UpperEnd Basis = "upper_end"  // the upper end of the interval of the run_seconds fact
	Median   Basis = "median"     // the value of that fact
	Limit    Basis = "time_limit" // there is no live fact: the time limit is an upper bound
	Standing Basis = "promise"    // neither is there any more: what the promise was given for
)

// believed returns the whole work of a job, on the gang it asks for, that a
// request of that class is tested with.
func believed(j *schedmate.JobStatus, class schedmate.SLOClass, now schedmate.Seconds, o *Options) (schedmate.Seconds, Basis, bool) {
	f := j.Fact(schedmate.RunSeconds, now)
	switch {
	case f != nil && class == schedmate.Strict && !o.Median:
		return o.padded(f.High), UpperEnd, true
	case f != nil:
		return o.padded(f.Value), Median, true
	case j.Job.TimeLimit > 0:
		return j.Job.TimeLimit, Limit, true
	}
	return 0, "", false
}

// padded is an estimate with PadMilli on top, rounded up.
func (o *Options) padded(run int64) schedmate.Seconds {
	return schedmate.Seconds(min(run+(run*int64(o.PadMilli)+999)/1000, int64(schedmate.MaxSeconds)))
}

// left is what of the whole work is still to be done, restart work included; see
// schedmate.JobStatus.Remaining.
func left(j *schedmate.JobStatus, whole, now schedmate.Seconds) schedmate.Seconds {
	unpaid := max(0, j.Owed-j.Elapsed(now))
	worked := j.Done + max(0, j.Elapsed(now)-j.Owed)
	return unpaid + max(0, whole-worked)
}

// owing is the part of what is left that the resumption of its first lease covers
// anyway: what it owes already for a restart.
func (o *Options) owing(j *schedmate.JobStatus, now schedmate.Seconds) schedmate.Seconds {
	return min(o.Resume, max(0, j.Owed-j.Elapsed(now)))
}

// leases is how many leases hold the work if each begins with a resumption. A job
// that is there is not done, whatever its estimate says: it needs one.
func (o *Options) leases(work schedmate.Seconds) int {
	each := o.Lease - o.Resume
	return max(1, int((work+each-1)/each))
}

// slots is how many whole slots lie between two instants.
func (o *Options) slots(from, to schedmate.Seconds) int {
	return int(min(max(0, to-from)/o.Lease, mostSlots))
}

// mostSlots is how far ahead promises reach: 113 days in leases of 20 minutes. A
// deadline behind it is kept before it.
const mostSlots = 1 << 13

// tenant is who a quota is for.
func tenant(j *schedmate.Job) string {
	switch {
	case j.VC != "":
		return j.VC
	case j.Group != "":
		return j.Group
	}
	return j.User
}
