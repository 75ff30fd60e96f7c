package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/workload"
)

// work is a print of a model trained for some epochs.
func work(model string, epochs float64) fingerprint.Print {
	return fingerprint.New(fingerprint.Canonical{
		workload.ModelName:  fingerprint.Words(model),
		workload.Dataset:    fingerprint.Words("imagenet"),
		workload.Task:       fingerprint.Words("image-classification"),
		workload.Iterations: fingerprint.Number(epochs),
	}, "")
}

func ended(id string, p fingerprint.Print, end schedmate.Seconds) *Record {
	return &Record{ID: id, User: "ann", JobName: "train-1", Print: p, StartS: end - 10, SubmitS: end - 20, EndS: end, State: Completed, Progress: 1}
}

// memory is a Log in memory.
type memory struct {
	entries map[string]string
	fail    error
}

func (m *memory) Append(keys, values [][]byte) error {
	if m.fail != nil {
		return m.fail
	}
	if m.entries == nil {
		m.entries = make(map[string]string)
	}
	for i, k := range keys {
		m.entries[string(k)] = string(values[i])
	}
	return nil
}

func (m *memory) Delete(keys [][]byte) error {
	for _, k := range keys {
		delete(m.entries, string(k))
	}
	return m.fail
}

func (m *memory) Each(visit func(key, value []byte) error) error {
	for _, k := range slices.Sorted(maps.Keys(m.entries)) {
		if err := visit([]byte(k), []byte(m.entries[k])); err != nil {
			return err
		}
	}
	return nil
}

func open(t *testing.T, log Log, keep Retention) *History {
	t.Helper()
	h, err := Open(t.Context(), log, nil, keep)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ids(records []*Record) string {
	var list []string
	for _, r := range records {
		list = append(list, r.ID)
	}
	return strings.Join(list, " ")
}

func TestWhatIsAppendedIsThereAfterOpeningAgain(t *testing.T) {
	log := &memory{}
	full := ended("a", work("resnet-50", 90), 100)
	full.Utilisation = &Utilisation{Mean: 80, Series: []float64{40, 90}}
	full.Perf = map[string]map[string]float64{"A100": {"8": 1000}}
	full.Estimated = &Estimated{Seconds: 12, Low: 9, High: 15, Rung: "exact", Evidence: 3}
	full.Slowed = true
	if err := open(t, log, Retention{}).Append(t.Context(), full, ended("b", fingerprint.Print{}, 90)); err != nil {
		t.Fatal(err)
	}
	again := open(t, log, Retention{})
	if got := ids(again.All()); got != "b a" {
		t.Fatalf("records by end: %q, want b a", got)
	}
	if back, _ := again.Record("a"); cmp.Diff(full, back) != "" {
		t.Errorf("the record changed: %s", cmp.Diff(full, back))
	}
}

func TestARecordIsTakenInOnce(t *testing.T) {
	h := open(t, &memory{}, Retention{})
	for range 2 {
		if err := h.Append(t.Context(), ended("a", work("resnet-50", 90), 100)); err != nil {
			t.Fatal(err)
		}
	}
	if h.Len() != 1 || h.Works() != 1 {
		t.Errorf("%d records of %d works, want 1 of 1", h.Len(), h.Works())
	}
}

func TestWhatTheLogRefusesIsNotInTheIndex(t *testing.T) {
	full := errors.New("disk full")
	h := open(t, &memory{fail: full}, Retention{})
	if err := h.Append(t.Context(), ended("a", work("resnet-50", 90), 100)); !errors.Is(err, full) {
		t.Errorf("got %v, want the log's error", err)
	}
	if h.Len() != 0 {
		t.Error("the record is in the index")
	}
}

func TestABrokenEntryIsReportedAndTheRestRead(t *testing.T) {
	log := &memory{}
	if err := open(t, log, Retention{}).Append(t.Context(), ended("a", work("resnet-50", 90), 100)); err != nil {
		t.Fatal(err)
	}
	log.entries["zz"] = `{"v":1,"id":"cut off`
	h := open(t, log, Retention{})
	if h.Len() != 1 || len(h.Unreadable) != 1 || !strings.Contains(h.Unreadable[0].Error(), "7a7a") {
		t.Errorf("%d records, unreadable %v", h.Len(), h.Unreadable)
	}
}

func TestOldRecordsAreForgotten(t *testing.T) {
	for _, c := range []struct {
		keep Retention
		want string
	}{
		{Retention{}, "a b c d"},
		{Retention{MaxRecords: 3}, "b c d"},
		{Retention{MaxAge: 200}, "c d"}, // at 500
		{Retention{MaxAge: 200, MaxRecords: 1}, "d"},
		{Retention{MaxAge: 50}, ""},
	} {
		log := &memory{}
		h := open(t, log, c.keep)
		for i, id := range []string{"a", "b", "c", "d"} {
			if err := h.Append(t.Context(), ended(id, work("resnet-50", 90), schedmate.Seconds(100*(i+1)))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Prune(t.Context(), 500); err != nil {
			t.Fatal(err)
		}
		if hits, err := h.Search(t.Context(), work("resnet-50", 90), 5, Every, 500); err != nil || len(hits) != min(1, h.Len()) {
			t.Errorf("%+v: %d works are found: %v", c.keep, len(hits), err)
		}
		if here, kept := ids(h.All()), ids(open(t, log, c.keep).All()); here != c.want || kept != c.want {
			t.Errorf("%+v keeps %q, on disk %q, want %q", c.keep, here, kept, c.want)
		}
	}
}

func TestAskingWhileOthersAddAndForget(t *testing.T) {
	h := open(t, &memory{}, Retention{MaxRecords: 5})
	done := make(chan error)
	go func() {
		for i := range 200 {
			if err := h.Append(context.Background(), ended(fmt.Sprint(i), work("resnet-50", float64(1+i%9)), schedmate.Seconds(100+i%50))); err != nil {
				done <- err
				return
			}
			if _, err := h.Prune(context.Background(), 1000); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		hits, err := h.Search(t.Context(), work("resnet-50", 3), 3, Every, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range hits {
			for _, r := range hit.Work.Visible(1000) {
				_ = r.Print.Cost
			}
		}
		select {
		case err := <-done:
			if err != nil || h.Len() != 5 {
				t.Errorf("%d records: %v", h.Len(), err)
			}
			return
		default:
		}
	}
}

func TestNothingThatEndsLaterIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := NewIndex(nil)
		models := []string{"resnet-50", "vgg-19", "bert"}
		for i := range rapid.IntRange(1, 40).Draw(t, "records") {
			r := ended(fmt.Sprint(i), work(rapid.SampledFrom(models).Draw(t, "model"), 90), schedmate.Seconds(rapid.IntRange(20, 60).Draw(t, "end")))
			if err := x.Add(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		at := schedmate.Seconds(rapid.IntRange(10, 70).Draw(t, "at"))
		hits, err := x.Search(context.Background(), work("resnet-50", 30), 10, Every, at)
		if err != nil {
			t.Fatal(err)
		}
		seen := x.Named("ann", "train-2", 0, at)
		for _, h := range hits {
			runs := h.Work.Visible(at)
			if len(runs) == 0 {
				t.Fatal("a work without a visible run was found")
			}
			seen = append(seen, runs...)
		}
		visible := 0
		for _, r := range x.All() {
			if r.EndS <= at {
				visible++
			}
		}
		if len(seen) != 2*visible { // by work and by name
			t.Fatalf("%d of %d visible records were seen twice", len(seen), visible)
		}
		for _, r := range seen {
			if r.EndS > at {
				t.Fatalf("record %s ends at %d and was seen at %d", r.ID, r.EndS, at)
			}
		}
	})
}

func TestScanEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := NewIndex(nil)
		model := rapid.StringMatching(`[a-c]{1,3}-[0-9]{1,2}`)
		for i := range rapid.IntRange(1, 30).Draw(t, "records") {
			r := ended(fmt.Sprint(i), work(model.Draw(t, "model"), float64(rapid.IntRange(1, 100).Draw(t, "epochs"))), 100)
			if err := x.Add(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		q := work(model.Draw(t, "asked"), 10)
		k := rapid.IntRange(1, 35).Draw(t, "k")
		for _, filter := range []Filter{Related, Every} { // all share the data set
			hits, err := x.Search(context.Background(), q, k, filter, 100)
			if err != nil {
				t.Fatal(err)
			}
			var want []Hit
			asked := embedded(t, q)
			for _, w := range x.works {
				want = append(want, Hit{w, fingerprint.Cosine(asked, embedded(t, w.Print))})
			}
			slices.SortStableFunc(want, nearer)
			for i, h := range want { // works with an equal cost hash come whatever k is
				if i >= k && h.Work.Print.Cost != q.Cost {
					want = want[:i]
					break
				}
			}
			if !slices.Equal(hits, want) {
				t.Fatalf("found %v, brute force %v", hits, want)
			}
		}
	})
}

func embedded(t *rapid.T, p fingerprint.Print) fingerprint.Vector {
	v, _, _, err := fingerprint.Hashed{}.Embed(context.Background(), []string{p.Fields.Text()})
	if err != nil {
		t.Fatal(err)
	}
	return fingerprint.Quantise(v[0])
}

// dense is an embedder whose vectors have no zeros, and whose id can change.
type dense struct{ id string }

func (d *dense) Embed(_ context.Context, texts []string) ([][]float32, string, int, error) {
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = []float32{float32(len(t)), float32(strings.Count(t, "e")), 1, -1}
	}
	return vectors, d.id, 4, nil
}

func TestVectorsOfTwoEmbeddersAreNeverMixed(t *testing.T) {
	d := &dense{"one"}
	x := NewIndex(d)
	if err := x.Add(t.Context(), ended("a", work("resnet-50", 90), 100)); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Search(t.Context(), work("resnet-50", 90), 1, Every, 100)
	if err != nil || len(hits) != 1 || hits[0].Cosine < 0.9999 {
		t.Errorf("a dense vector finds itself: %v %v", hits, err)
	}
	d.id = "two"
	if _, err := x.Search(t.Context(), work("resnet-50", 90), 1, Every, 100); err == nil || !strings.Contains(err.Error(), "build the index anew") {
		t.Errorf("another embedder: got %v", err)
	}
}

func TestFiltersComeFirst(t *testing.T) {
	x := NewIndex(nil)
	other := fingerprint.New(fingerprint.Canonical{
		workload.ModelName: fingerprint.Words("bert"), workload.Dataset: fingerprint.Words("wikipedia"), workload.Task: fingerprint.Words("masked-lm"),
	}, "")
	if err := x.Add(t.Context(), ended("a", other, 50), ended("b", work("vgg-19", 90), 50)); err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[Filter]int{Related: 1, Every: 2} {
		if hits, err := x.Search(t.Context(), work("resnet-50", 90), 10, filter, 100); err != nil || len(hits) != want {
			t.Errorf("filter %v: %d works (%v), want %d", filter, len(hits), err, want)
		}
	}
}

func TestDigitsOfAJobNameDoNotCount(t *testing.T) {
	x := NewIndex(nil)
	if err := x.Add(t.Context(), ended("a", fingerprint.Print{}, 50)); err != nil { // train-1
		t.Fatal(err)
	}
	for _, c := range []struct{ user, name, want string }{{"ann", "Train_27", "a"}, {"ann", "eval-1", ""}, {"bob", "train-1", ""}, {"ann", "17", ""}} {
		if got := ids(x.Named(c.user, c.name, 0, 100)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.name, c.user, got, c.want)
		}
	}
}

func TestTheThresholdLiesBetweenUnlikeAndRetoldWorks(t *testing.T) {
	x := NewIndex(nil)
	if th, err := x.Threshold(t.Context(), 1000); err != nil || th.Calibrated || th.Cosine != startCosine {
		t.Errorf("without history: %+v %v", th, err)
	}
	for i := range 80 {
		p := work(fmt.Sprintf("model-%c-%d", 'a'+rune(i%26), i), float64(1+i))
		p.Fields[workload.Dataset] = fingerprint.Words(fmt.Sprintf("data-%d", i*7))
		if err := x.Add(t.Context(), ended(fmt.Sprint(i), fingerprint.New(p.Fields, ""), 100)); err != nil {
			t.Fatal(err)
		}
	}
	a, err := x.Threshold(t.Context(), 1000)
	if err != nil || !a.Calibrated || !(a.Background < a.Cosine && a.Cosine < a.Self) {
		t.Errorf("with 80 works: %+v %v", a, err)
	}
	if b, _ := x.Threshold(t.Context(), 1000); a != b {
		t.Errorf("calibrated twice: %+v and %+v", a, b)
	}
}

func FuzzDecode(f *testing.F) {
	good, err := Encode(ended("a", work("resnet-50", 90), 100))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"v":1,"id":"a","state":"COMPLETED","print":{"form":1,"fields":{"model_name":[1,2]}}}`))
	f.Add([]byte(`{"v":1,"id":"a","state":"completed","start_s":-5,"end_s":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode(text)
		if err != nil {
			return
		}
		again, err := Encode(r)
		if err != nil {
			t.Fatalf("decoded and not encoded: %v", err)
		}
		back, err := Decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Fatal(diff)
		}
		if err := NewIndex(nil).Add(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	})
}
