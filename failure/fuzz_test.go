package failure

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"schedmate"
	"schedmate/logs"
)

// FuzzScan reads any bytes as a log, twice, and asks what they say: the answer is
// valid, the bounds hold, and all that is quoted stands in the bytes.
func FuzzScan(f *testing.F) {
	var some []string
	for i, r := range Default().Rules {
		if len(r.Positive) > 0 && i%sampleEvery == 0 {
			if some = append(some, r.Positive[0]); len(some) == 16 {
				f.Add([]byte(joined(some)))
				some = nil
			}
		}
	}
	f.Add([]byte("[rank0]: Traceback (most recent call last):\r\n[rank0]:   File \"a.py\", line 3\n[rank1]: step 3\n[rank0]: torch.OutOfMemoryError: CUDA out of memory.\n"))
	f.Add([]byte("\xff\xfeT\x00r\x00a\x00c\x00e\x00\n\x00"))
	f.Add([]byte("\x1b[31mTraceback (most recent call last)\x1b[0m\rValueError: \x00\xff\n"))
	f.Add([]byte(`{"log":"Traceback (most recent call last):\n","stream":"stderr","time":"2024-03-01T10:00:01Z"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewScanner(Default())
		half := len(data) / 2
		for name, part := range []([]byte){data, data[:half]} {
			if err := s.Read([]string{"a", "b"}[name], bytes.NewReader(part)); err != nil {
				t.Fatal(err)
			}
		}
		d := s.Diagnosis()
		if err := d.Validate("diagnosis"); err != nil {
			t.Fatal(err)
		}
		if len(s.events) > maxEvents || len(s.shapes) > maxShapes || len(s.streams) > maxStreams+1 {
			t.Fatalf("kept %d events, %d shapes, %d streams", len(s.events), len(s.shapes), len(s.streams))
		}
		quotes := slices.Concat(d.Evidence, d.Witnesses)
		for _, also := range d.Also {
			quotes = append(quotes, schedmate.Quote{File: also.File, Line: also.Line, Byte: also.Byte, Text: also.Text})
		}
		incident := []Log{memoryLog("a", data), memoryLog("b", data[:half])}
		if err := Verify(context.Background(), incident, quotes); err != nil {
			t.Fatal(err)
		}
		if _, err := Diagnose(context.Background(), Default(), incident); err != nil {
			t.Fatal(err)
		}
	})
}

func memoryLog(name string, data []byte) Log {
	return Log{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// FuzzRules reads any text as a file of rules: it is refused, or makes a set that
// can be used and whose rules and kinds keep their invariants.
func FuzzRules(f *testing.F) {
	kind := "kinds:\n  - {name: k, class: infrastructure, component: gpu, restart: yes, quarantine: second, title: {en: a, zh: b}, advice: {en: a, zh: b}, test: {en: a, zh: b}}\n"
	f.Add([]byte(kind + "rules:\n  - {id: a, pattern: 'abc (?P<node>\\S+) {code}', codes: [{code: '1', meaning: m}, {code: '2', meaning: m, tier: 8}], tier: 5, kind: k, source: s, positive: ['abc x 1'], negative: [b]}\n"))
	f.Add([]byte(kind + "rules:\n  - {id: a, pattern: 'abc', frame: 'x', stack: [x], tier: 5, exception: true, kind: k, source: s}\nlinks:\n  - {because: [k], then: [k], why: w}\n"))
	f.Add([]byte("rules:\n  - {id: n, pattern: 'harmless', tier: 8, tries: true, source: s}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := ReadRules(fstest.MapFS{"a.yaml": {Data: data}})
		if err != nil {
			return
		}
		for _, r := range set.Rules {
			if r.regexp == nil || len(r.literals) == 0 || (r.Tier == TierNoise) != (r.kind == nil) || r.Tier < TierDevice || r.Tier > TierNoise {
				t.Fatalf("rule %+v was taken", r)
			}
			if r.Quarantine != "" && r.Quarantine != QuarantineNo && r.Class != schedmate.InfrastructureFailure {
				t.Fatalf("rule %s takes nodes out for class %s", r.ID, r.Class)
			}
		}
		s := NewScanner(set)
		if err := s.Read("log", strings.NewReader("abc gpu1 1\nTraceback (most recent call last):\n  File \"x\", line 1\nabc: def\nharmless\nabc\n")); err != nil {
			t.Fatal(err)
		}
		d := s.Diagnosis()
		if err := d.Validate("diagnosis"); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzWatchdog gives any lines to what compares watchdogs: what it keeps is bounded,
// and its culprit is a rank of the job or none.
func FuzzWatchdog(f *testing.F) {
	f.Add("[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600001\nworld_size: 4\n", int32(0))
	f.Add("[Rank 1] WorkNCCL(SeqNum=99999999999999999999, OpType=X, Timeout(ms)=99999999999999999999)\nlast enqueued work: -1, last completed work: 99999999999999999999\n", int32(-1))
	f.Add("nranks 2147483647\n", int32(7))
	f.Fuzz(func(t *testing.T, text string, rank int32) {
		var w watchdogs
		st := &stream{streamName: streamName{rank: rank}}
		if rank < 0 {
			st.rank = logs.NoRank
		}
		for i, line := range strings.Split(text, "\n") {
			w.read([]byte(line), place{line: int64(i + 1), sequence: int64(i + 1)}, st)
		}
		v := w.verdict()
		if len(w.seen) > maxWatches || v.culprit < -1 || (v.desync || v.culprit >= 0) != (v.why != "") {
			t.Fatalf("%d watches, verdict %+v", len(w.seen), v)
		}
		if len(w.seen) < 2 && v.desync {
			t.Fatalf("one rank alone does not agree with itself: %+v", v)
		}
	})
}
