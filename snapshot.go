package schedmate

// Snapshot is everything a policy may know at the instant Now.
//
// Invariant: APIVersion and Kind are the declared ones; 0 <= Now <= MaxSeconds;
// Cluster, Memory and every job's status are valid; Waiting and Running are each sorted
// by Seq without duplicates; every job ID occurs once in the two together; every
// Job.VC that is not empty is declared in the Cluster; no job is submitted after
// Now and none carries an Outcome. Waiting jobs have no Attempt; Running ones
// have, which starts in [Job.Submit, Now] on GPUs that the Cluster has. No GPU
// carries more than WholeGPU.
//
// A Snapshot is read-only for whoever receives it.
type Snapshot struct {
	APIVersion string       `json:"apiVersion" yaml:"apiVersion"`
	Kind       string       `json:"kind" yaml:"kind"` // "Snapshot"
	Now        Seconds      `json:"now_s" yaml:"now_s"`
	Cluster    Cluster      `json:"cluster" yaml:"cluster"`
	Waiting    []*JobStatus `json:"waiting" yaml:"waiting"`
	Running    []*JobStatus `json:"running" yaml:"running"`

	// Memory is what the policy's last plan asked to be told now.
	Memory []Note `json:"memory,omitempty" yaml:"memory,omitempty"`

	// Set by a host that keeps them up to date between snapshots; both are
	// derived from the fields above and never change a plan, only its cost.
	occupancy *Occupancy
	ranked    bool
}

// SnapshotKind is the value of Snapshot.Kind.
const SnapshotKind = "Snapshot"

// JobStatus is a job together with what has happened to it so far.
//
// Invariant: Seq >= 0; 0 <= Done, Owed, Held, Waited <= MaxSeconds;
// Preemptions, Crashes >= 0; Job, Facts, Tuning, Attempt and Steps are valid; a Kind of fact occurs at
// most once. Snapshot.Validate checks it.
type JobStatus struct {
	Job Job `json:"job" yaml:"job"`

	// Seq numbers the moments at which jobs entered the state they are in
	// (waiting or running), over the whole cluster. It is the arrival order of
	// the queue, and the last tie-break of every policy.
	Seq int64 `json:"seq" yaml:"seq"`

	Done        Seconds `json:"done_s,omitempty" yaml:"done_s,omitempty"` // work finished before the current Attempt
	Owed        Seconds `json:"owed_s,omitempty" yaml:"owed_s,omitempty"` // restart work at the start of the Attempt, done before anything else
	Held        Seconds `json:"held_s,omitempty" yaml:"held_s,omitempty"` // wall time on GPUs before the current Attempt
	Waited      Seconds `json:"waited_s,omitempty" yaml:"waited_s,omitempty"`
	Preemptions int     `json:"preemptions,omitempty" yaml:"preemptions,omitempty"`
	Crashes     int     `json:"crashes,omitempty" yaml:"crashes,omitempty"` // attempts that its own code, or its framework, ended before the work was done

	Facts   []Fact   `json:"facts,omitempty" yaml:"facts,omitempty"`
	Tuning  *Tuning  `json:"tuning,omitempty" yaml:"tuning,omitempty"` // of an adaptive job; nil: it is none
	Attempt *Attempt `json:"attempt,omitempty" yaml:"attempt,omitempty"`

	// Steps are the step times of a running job, where its log tells them.
	Steps *StepTimes `json:"steps,omitempty" yaml:"steps,omitempty"`
}

// Elapsed returns the wall time of the current Attempt; 0 when waiting.
func (j *JobStatus) Elapsed(now Seconds) Seconds {
	if j.Attempt == nil {
		return 0
	}
	return max(0, now-j.Attempt.Start)
}

// Attained returns the service the job has received, in GPU-seconds of wall
// time on GPUs (Tiresias, NSDI'19, section 3.2: the two-dimensional age).
func (j *JobStatus) Attained(now Seconds) int64 {
	return int64(j.Job.GPUs) * int64(j.Held+j.Elapsed(now))
}

// Fact returns the live fact of that kind, or nil: a missing and a stale fact
// look alike, so that both leave the original policy unchanged.
func (j *JobStatus) Fact(kind FactKind, now Seconds) *Fact {
	for i := range j.Facts {
		if f := &j.Facts[i]; f.Kind == kind && f.Live(now) {
			return f
		}
	}
	return nil
}

// Remaining returns the estimated work left, restart work included, and false
// when there is no live estimate. It never falls below 0.
func (j *JobStatus) Remaining(now Seconds) (Seconds, bool) {
	f := j.Fact(RunSeconds, now)
	if f == nil {
		return 0, false
	}
	unpaid := max(0, j.Owed-j.Elapsed(now)) // restart work comes first
	worked := j.Done + max(0, j.Elapsed(now)-j.Owed)
	return unpaid + max(0, Seconds(f.Value)-worked), true
}

// WithHost returns the snapshot with what its host keeps ready: the occupancy
// of the nodes, and whether Waiting is already in the order in which the asked
// policy ranks jobs.
func (s Snapshot) WithHost(o *Occupancy, ranked bool) Snapshot {
	s.occupancy, s.ranked = o, ranked
	return s
}

// Ranked reports whether Waiting is in the order of the asked policy.
func (s *Snapshot) Ranked() bool { return s.ranked }

// Occupancy returns which GPUs are taken. A policy may take and release in it
// while it plans, if it rolls back before it returns.
func (s *Snapshot) Occupancy() *Occupancy {
	if s.occupancy != nil {
		return s.occupancy
	}
	o := NewOccupancy(s.Cluster)
	for _, j := range s.Running {
		o.Take(&j.Job, j.Attempt.Allocations)
	}
	o.Commit()
	return o
}

// Find returns the job of that ID, or nil.
func (s *Snapshot) Find(id string) *JobStatus {
	for _, list := range [][]*JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			if j.Job.ID == id {
				return j
			}
		}
	}
	return nil
}

// Validate checks the invariant of Snapshot.
func (s *Snapshot) Validate() error {
	if s.APIVersion != APIVersion {
		return fieldErr("apiVersion", "must be %q, got %q", APIVersion, s.APIVersion)
	}
	if s.Kind != SnapshotKind {
		return fieldErr("kind", "must be %q, got %q", SnapshotKind, s.Kind)
	}
	if err := first(checkTime("now_s", "", s.Now, 0), s.Cluster.Validate("cluster")); err != nil {
		return err
	}
	ids := make(map[string]string, len(s.Waiting)+len(s.Running))
	for i, j := range s.Waiting {
		at := index("waiting", i)
		if err := s.validateStatus(at, j, ids, prior(s.Waiting, i)); err != nil {
			return err
		}
		if j.Attempt != nil {
			return fieldErr(at+".attempt", "job %s waits, so it has no attempt", j.Job.ID)
		}
	}
	if err := ValidateMemory("memory", s.Memory); err != nil {
		return err
	}
	used := make(map[Allocation]Share)
	for i, j := range s.Running {
		at := index("running", i)
		if err := s.validateStatus(at, j, ids, prior(s.Running, i)); err != nil {
			return err
		}
		if err := s.validateAttempt(at+".attempt", j, used); err != nil {
			return err
		}
	}
	return nil
}

func prior(list []*JobStatus, i int) *JobStatus {
	if i == 0 {
		return nil
	}
	return list[i-1]
}

func (s *Snapshot) validateStatus(at string, j *JobStatus, ids map[string]string, before *JobStatus) error {
	if j == nil {
		return fieldErr(at, "must not be empty")
	}
	if err := j.Job.Validate(at + ".job"); err != nil {
		return err
	}
	if where, dup := ids[j.Job.ID]; dup {
		return fieldErr(at+".job.id", "job %s is listed twice, first at %s", j.Job.ID, where)
	}
	ids[j.Job.ID] = at
	switch {
	case j.Job.Outcome != nil:
		return fieldErr(at+".job.outcome", "a snapshot must not know how job %s ends", j.Job.ID)
	case j.Job.VC != "" && s.Cluster.VC(j.Job.VC) == nil:
		return fieldErr(at+".job.vc", "unknown vc %q: declare it under cluster.vcs", j.Job.VC)
	case j.Job.Submit > s.Now:
		return fieldErr(at+".job.submit_s", "job %s is submitted at %d, after now_s %d", j.Job.ID, j.Job.Submit, s.Now)
	case j.Seq < 0:
		return fieldErr(at+".seq", "must not be negative, got %d", j.Seq)
	case before != nil && before.Seq >= j.Seq:
		return fieldErr(at+".seq", "jobs must be sorted by seq without duplicates: %d follows %d", j.Seq, before.Seq)
	case j.Preemptions < 0:
		return fieldErr(at+".preemptions", "must not be negative, got %d", j.Preemptions)
	case j.Crashes < 0:
		return fieldErr(at+".crashes", "must not be negative, got %d", j.Crashes)
	}
	return first(
		ValidateFacts(at+".facts", j.Job.ID, j.Facts),
		j.Tuning.Validate(at+".tuning"),
		checkTime(at, ".done_s", j.Done, 0),
		checkTime(at, ".owed_s", j.Owed, 0),
		checkTime(at, ".held_s", j.Held, 0),
		checkTime(at, ".waited_s", j.Waited, 0),
		j.Steps.validate(at+".steps"),
	)
}

func (s *Snapshot) validateAttempt(at string, j *JobStatus, used map[Allocation]Share) error {
	a := j.Attempt
	if a == nil {
		return fieldErr(at, "job %s runs, so it needs an attempt", j.Job.ID)
	}
	if a.Number < 1 {
		return fieldErr(at+".number", "must be at least 1, got %d", a.Number)
	}
	gang := j.Job.GPUs
	if n := len(a.Allocations); j.Job.Runs(n) {
		gang = n
	}
	if err := first(
		checkTime(at, ".start_s", a.Start, j.Job.Submit),
		validateAllocations(at+".allocations", a.Allocations, gang),
	); err != nil {
		return err
	}
	if a.Start > s.Now {
		return fieldErr(at+".start_s", "job %s starts at %d, after now_s %d", j.Job.ID, a.Start, s.Now)
	}
	for i, x := range a.Allocations {
		where := index(at+".allocations", i)
		n := s.Cluster.Node(x.Node)
		if n == nil {
			return fieldErr(where+".node", "unknown node %q", x.Node)
		}
		if x.GPU >= n.GPUs {
			return fieldErr(where+".gpu", "node %s has GPUs 0 to %d, got %d", n.ID, n.GPUs-1, x.GPU)
		}
		key := Allocation{Node: x.Node, GPU: x.GPU}
		if used[key]+x.Share > WholeGPU {
			return fieldErr(where+".share", "GPU %d of node %s would carry %d thousandths", x.GPU, x.Node, used[key]+x.Share)
		}
		used[key] += x.Share
	}
	return nil
}
