package schedmate

// Measurement says that a waiting job is measured from now on: it runs on part of
// what it asks for, and what it does there counts as no work. The policy keeps the
// GPUs free until it is over; a job that is named again, by a later plan, begins
// anew, and whatever was to come of its measurement before is lost.
//
// Invariant: Until lies after the snapshot's Now and not after MaxSeconds;
// Allocations are at least one and at most as many whole GPUs as the job asks for,
// sorted by node and GPU, that nobody has after the plan's actions; the job waits
// then.
type Measurement struct {
	Job         string       `json:"job" yaml:"job"`
	Allocations []Allocation `json:"allocations" yaml:"allocations"`
	Until       Seconds      `json:"until_s" yaml:"until_s"`
}
