package report

import "schedmate"

// Page is everything the report shows.
//
// Invariant: at least one Run; no two Runs share Policy, Preset and Seed; all
// Runs have Metrics of the same names and groups in the same order.
type Page struct {
	Title   string   // such as "Philly week on 32 x 8 GPUs"
	Intro   string   // one paragraph
	Command string   // the command line that makes the page again; lines may be continued
	Facts   []Pair   // provenance: trace file and checksum, cluster, version, seeds, estimates
	Runs    []Run    // one a policy, preset and seed
	Notes   []string // remarks that keep the page honest: dropped jobs, "synthetic trace"
}

// Pair is a named value.
type Pair struct{ Name, Value string }

// Run is one simulation of one policy.
//
// Invariant: GPUs >= 1; JCT and Queue have one entry for each job that ended,
// none negative, in any order of their own; Usage is ascending in At; the Row
// of a Bar is one of the rows of Nodes; From of a SharedPair is not after its Until, and
// its slowdowns are above 0.
//
// All instants of a run count from the same epoch, and so do those of all runs
// of a page: the figures over time share one axis. Which epoch it is does not
// matter, the axis starts with the first run.
type Run struct {
	Policy, Preset string
	Past           bool // no policy's run but what really happened; it has no figures over time
	Seed           int64
	Hash           string            // of the result, to compare runs on two machines
	GPUs           int               // capacity of the cluster
	Makespan       schedmate.Seconds // from the first submission to the last end
	Metrics        []Metric          // in the order of display
	JCT, Queue     []schedmate.Seconds

	// Usage is a step function: a sample holds until the next one. The last
	// sample ends the curve, its numbers last for no time.
	Usage []Sample

	Nodes       []Node // the rows of the Gantt chart from the top, one a GPU
	Bars        []Bar  // one a GPU and stretch of time; two that overlap share the GPU
	BarsOmitted int    // how many more the caller left out

	Pairs []SharedPair // jobs that have shared GPUs, in the order in which they began to

	Reference []Reference // published figures beside ours
}

// Units that the page knows how to show. Any other unit is printed after the
// number as it is.
const (
	UnitSeconds = "s"     // shown as "2 h 31 min", with the seconds in a tool tip
	UnitShare   = "share" // a fraction from 0 to 1, shown in per cent
	UnitCount   = ""
)

// Direction says which of two values of a metric is the better one.
type Direction int

const (
	LowerIsBetter  Direction = -1
	NeitherBetter  Direction = 0
	HigherIsBetter Direction = 1
)

// Metric is one number about a run.
type Metric struct {
	Name, Unit string
	Value      float64   // NaN and infinities are shown as missing
	Missing    bool      // not applicable or not measured
	Better     Direction // which end of a column is marked as best
	Group      string    // metrics of one group share a table of this title; "" for the general ones
	Help       string    // one sentence: what it is and over which jobs
}

// Sample is the state of the cluster from At on.
type Sample struct {
	At                 schedmate.Seconds
	UsedGPUs, DownGPUs int
	WaitingJobs        int
	WaitingGPUs        int // that the waiting jobs ask for together
}

// Node is a group of neighbouring rows of the Gantt chart.
type Node struct {
	Name string
	GPUs int
}

// Bar is one GPU held by one job without interruption.
type Bar struct {
	Job        string
	Row        int // from 0; counts the GPUs of Run.Nodes from the top
	Start, End schedmate.Seconds
	GPUs       int  // size of the whole gang
	Preempted  bool // the job lost the GPU at End and was not finished
}

// SharedPair is two jobs that have shared GPUs. Slowdowns are time beside the other over
// time alone.
type SharedPair struct {
	Host, Guest string // who came first, and who joined him
	From, Until schedmate.Seconds
	GainedMS    int64 // work of the two beyond that of one alone, in milliseconds of one GPU

	HostSlowdown, GuestSlowdown float64 // real
	HostForecast, GuestForecast float64 // 0: the policy foretold nothing
	Undo                        *Undone // nil: nobody took them apart
}

// Undone is why a pair was taken apart at its Until, and what it cost.
type Undone struct {
	Slower   string  // who was found to be slower than is tolerated
	Measured float64 // its slowdown by its logged steps
	Steps    int     // that it took
	RedoneMS int64   // work of the guest that had to be done again, in milliseconds of one GPU
}

// Reference is a published figure beside the one computed here.
type Reference struct {
	Name, Unit   string
	Theirs, Ours float64
	Equal, Of    int // jobs whose result is exactly the published one; Of = 0: not compared job by job
	Source       string
}
