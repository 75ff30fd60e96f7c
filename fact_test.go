package schedmate_test

import (
	"testing"

	"schedmate"
)

func validFact() *schedmate.Fact {
	return &schedmate.Fact{
		Kind: schedmate.RunSeconds, Value: 28800, Low: 25200, High: 34200,
		ConfidenceMilli: 900, Source: schedmate.FromNeighbours,
		Evidence:   []schedmate.Evidence{{Ref: "87"}, {Ref: "train.py", Line: 41, Byte: 1033}},
		ObservedAt: 500, ExpiresAt: 600,
	}
}

func TestFactValidate(t *testing.T) {
	type fact = schedmate.Fact
	values := func(kind schedmate.FactKind, low, value, high int64) func(*fact) {
		return func(f *fact) { f.Kind, f.Low, f.Value, f.High = kind, low, value, high }
	}
	confidence := func(milli int) func(*fact) { return func(f *fact) { f.ConfidenceMilli = milli } }
	times := func(observed, expires schedmate.Seconds) func(*fact) {
		return func(f *fact) { f.ObservedAt, f.ExpiresAt = observed, expires }
	}
	rows := []row[fact]{
		{"no kind", func(f *fact) { f.Kind = "" }, `fact.kind: unknown kind ""`},
		{"unknown kind", func(f *fact) { f.Kind = "mood" }, `fact.kind: unknown kind "mood"`},

		{"low below 0", values(schedmate.RunSeconds, -1, 5, 6), "fact.value: must satisfy 0 <= low <= value <= high <= 6324480000, got -1, 5, 6"},
		{"low above the value", values(schedmate.RunSeconds, 6, 5, 6), "fact.value: must satisfy 0 <= low <= value <= high <= 6324480000, got 6, 5, 6"},
		{"value above high", values(schedmate.RunSeconds, 0, 7, 6), "fact.value: must satisfy 0 <= low <= value <= high <= 6324480000, got 0, 7, 6"},
		{"high beyond all times", values(schedmate.RunSeconds, 0, 5, 6324480001), "fact.value: must satisfy 0 <= low <= value <= high <= 6324480000, got 0, 5, 6324480001"},
		{"more than full utilisation", values(schedmate.GPUUtilisation, 0, 5, 1001), "fact.value: must satisfy 0 <= low <= value <= high <= 1000, got 0, 5, 1001"},
		{"more than 16 TiB of memory", values(schedmate.GPUMemoryMiB, 0, 5, 16777217), "fact.value: must satisfy 0 <= low <= value <= high <= 16777216, got 0, 5, 16777217"},
		{"all three 0", values(schedmate.RunSeconds, 0, 0, 0), ""},
		{"all three at the end of all times", values(schedmate.RunSeconds, 6324480000, 6324480000, 6324480000), ""},
		{"full utilisation", values(schedmate.GPUUtilisation, 1000, 1000, 1000), ""},
		{"16 TiB of memory", values(schedmate.GPUMemoryMiB, 16777216, 16777216, 16777216), ""},

		{"confidence below 0", confidence(-1), "fact.confidence_milli: must lie in [0, 1000], got -1"},
		{"more than certain", confidence(1001), "fact.confidence_milli: must lie in [0, 1000], got 1001"},
		{"no confidence", confidence(0), ""},
		{"certain", confidence(1000), ""},

		{"no source", func(f *fact) { f.Source = "" }, `fact.source: unknown source ""`},
		{"unknown source", func(f *fact) { f.Source = "hearsay" }, `fact.source: unknown source "hearsay"`},

		{"evidence in Latin-1", func(f *fact) { f.Evidence[1].Ref = "\xe9" }, `fact.evidence[1].ref: must be UTF-8, got "\xe9"`},
		{"evidence of any characters", func(f *fact) { f.Evidence[1].Ref = anyUnicode }, ""},
		{"no evidence", func(f *fact) { f.Evidence = nil }, ""},

		{"observed before the epoch", times(-1, 0), "fact.observed_at_s: must lie in [0, 6324480000] seconds, got -1"},
		{"observed beyond all times", times(6324480001, 0), "fact.observed_at_s: must lie in [0, 6324480000] seconds, got 6324480001"},
		{"expires beyond all times", times(500, 6324480001), "fact.expires_at_s: must lie in [0, 6324480000] seconds, got 6324480001"},
		{"expires before the epoch", times(0, -5), "fact.expires_at_s: must lie after observed_at_s 0, got -5"},
		{"expires when it is observed", times(500, 500), "fact.expires_at_s: must lie after observed_at_s 500, got 500"},
		{"holds for one second", times(500, 501), ""},
		{"never expires", times(500, 0), ""},
		{"observed at the epoch", times(0, 1), ""},
		{"observed at the end of all times", times(6324480000, 0), ""},
		{"expires at the end of all times", times(6324479999, 6324480000), ""},
	}
	for _, source := range []schedmate.FactSource{
		schedmate.FromTruth, schedmate.FromTrace, schedmate.FromUser, schedmate.FromSource,
		schedmate.FromNeighbours, schedmate.FromPrior, schedmate.FromLog, schedmate.FromTelemetry,
	} {
		rows = append(rows, row[fact]{"source " + string(source), func(f *fact) { f.Source = source }, ""})
	}
	checkRows(t, validFact, func(f *fact) error { return f.Validate("fact") }, rows)
}

// A fact that is observed at 500 and expires at 600 holds for the hundred
// seconds 500 to 599.
func TestFactIsLive(t *testing.T) {
	expires := validFact()
	stays := validFact()
	stays.ExpiresAt = 0
	for _, tc := range []struct {
		what string
		fact *schedmate.Fact
		now  schedmate.Seconds
		want bool
	}{
		{"one second early", expires, 499, false},
		{"when it is observed", expires, 500, true},
		{"in its last second", expires, 599, true},
		{"when it expires", expires, 600, false},
		{"later", expires, 601, false},
		{"never expires, one second early", stays, 499, false},
		{"never expires, when it is observed", stays, 500, true},
		{"never expires, at the end of all times", stays, schedmate.MaxSeconds, true},
	} {
		if got := tc.fact.Live(tc.now); got != tc.want {
			t.Errorf("%s, at %d: live is %v, want %v", tc.what, tc.now, got, tc.want)
		}
	}
}

// Of several facts the one of the right kind that is live is found; a fact that
// is missing and one that is not live look alike.
func TestJobFact(t *testing.T) {
	j := schedmate.JobStatus{Facts: []schedmate.Fact{
		{Kind: schedmate.GPUUtilisation, Value: 400, High: 1000},
		{Kind: schedmate.RunSeconds, Value: 5000, High: 9000, ObservedAt: 500, ExpiresAt: 600},
	}}
	for _, tc := range []struct {
		kind schedmate.FactKind
		now  schedmate.Seconds
		want *schedmate.Fact
	}{
		{schedmate.GPUUtilisation, 0, &j.Facts[0]},
		{schedmate.RunSeconds, 550, &j.Facts[1]},
		{schedmate.RunSeconds, 499, nil},
		{schedmate.RunSeconds, 600, nil},
		{schedmate.GPUMemoryMiB, 550, nil},
	} {
		if got := j.Fact(tc.kind, tc.now); got != tc.want {
			t.Errorf("the fact of kind %s at %d is %v, want %v", tc.kind, tc.now, got, tc.want)
		}
	}
}
