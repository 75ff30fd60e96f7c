package admit

import (
	"fmt"

	"schedmate"
)

// Options are the terms on which promises are given.
//
// Invariant: 1 <= Lease <= MaxSeconds; 0 <= Resume < Lease; QuotaMilli and
// ReserveMilli lie in 0 to 1000, and PadMilli in 0 to 10,000; Retries and Steps are not negative.
type Options struct {
	// Lease is the length of a slot.
	Lease schedmate.Seconds `json:"lease_s" yaml:"lease_s"`
	// Aligned makes slots begin at multiples of Lease from the epoch. Otherwise
	// they begin when the first promise is given, and keep to that.
	Aligned bool `json:"aligned" yaml:"aligned"`
	// Resume is what it costs to save and restore a job. A claim pays it for each of
	// its leases, as if all of them lay apart.
	Resume schedmate.Seconds `json:"resume_s" yaml:"resume_s"`
	// RoundUp plans gangs with 1, 2, 4 or a multiple of 8 GPUs.
	RoundUp bool `json:"round_up" yaml:"round_up"`
	// Median believes the median of strict requests too, not the upper end.
	Median bool `json:"median" yaml:"median"`
	// PadMilli believes that jobs run so many thousandths longer than their estimates
	// say. The public code of CHRONUS plans with a tenth more.
	PadMilli int `json:"pad_milli,omitempty" yaml:"pad_milli,omitempty"`
	// QuotaMilli is the most of an area, in thousandths, that the strict promises
	// of one tenant may claim from now until any slot; 0: no quota.
	QuotaMilli int `json:"quota_milli" yaml:"quota_milli"`
	// ReserveMilli is the part of every slot, in thousandths, that is never
	// promised, so that best-effort jobs that have waited long find room.
	ReserveMilli int `json:"reserve_milli" yaml:"reserve_milli"`
	// Retries is how many crashes a promise outlasts; with one more it is lost.
	Retries int `json:"retries" yaml:"retries"`
	// HoldRunning leaves running jobs that are promised nothing their GPUs: to the
	// upper end of their estimate, else to their time limit, else for good. Without
	// it they give way at once, as in CHRONUS's Spot cluster.
	HoldRunning bool `json:"hold_running" yaml:"hold_running"`
	// Steps bounds each search for a calendar; 0: as many as its size is worth. A host
	// that bounds them also saves the search for each single expectation when not all
	// can stay: they stay where there is room beside those before them.
	Steps int64 `json:"steps" yaml:"steps"`
}

// Unlimited is a retry budget that does not end.
const Unlimited = 1 << 30

// Default are the terms that we hold best: conservative for strict requests, and a
// job that has crashed three times has lost its promise.
func Default() Options { return Options{Lease: 1200, RoundUp: true, Retries: 2} }

// Paper are those of CHRONUS: leases of 20 minutes, round-up, one estimate for
// everything, and neither quota nor retry budget.
func Paper() Options { return Options{Lease: 1200, RoundUp: true, Median: true, Retries: Unlimited} }

// Validate checks the invariant of Options.
func (o *Options) Validate() error {
	switch {
	case o.Lease < 1 || o.Lease > schedmate.MaxSeconds:
		return fmt.Errorf("lease_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Lease)
	case o.Resume < 0 || o.Resume >= o.Lease:
		return fmt.Errorf("resume_s must lie in [0, %d], below lease_s, got %d", o.Lease-1, o.Resume)
	case o.PadMilli < 0 || o.PadMilli > 10000:
		return fmt.Errorf("pad_milli must lie in [0, 10000], got %d", o.PadMilli)
	case o.QuotaMilli < 0 || o.QuotaMilli > 1000:
		return fmt.Errorf("quota_milli must lie in [0, 1000], got %d", o.QuotaMilli)
	case o.ReserveMilli < 0 || o.ReserveMilli > 1000:
		return fmt.Errorf("reserve_milli must lie in [0, 1000], got %d", o.ReserveMilli)
	case o.Retries < 0:
		return fmt.Errorf("retries must not be negative, got %d", o.Retries)
	case o.Steps < 0:
		return fmt.Errorf("steps must not be negative, got %d", o.Steps)
	}
	return nil
}
