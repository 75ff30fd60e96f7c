package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
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

// memory is a Store in memory.
type memory struct {
	mu     sync.RWMutex
	tables memoryTx
	fail   error // of the next changes
}

type memoryTx map[string]map[string]string

func (m *memory) View(read func(Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return read(m.tables)
}

func (m *memory) Update(change func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := memoryTx{}
	for name, table := range m.tables {
		next[name] = maps.Clone(table)
	}
	if err := change(next); err != nil {
		return err
	}
	if m.fail != nil {
		return m.fail
	}
	m.tables = next
	return nil
}

func (m memoryTx) Get(table string, key []byte) []byte {
	if value, ok := m[table][string(key)]; ok {
		return []byte(value)
	}
	return nil
}

func (m memoryTx) Walk(table string, from []byte, visit func(key, value []byte) (bool, error)) error {
	for _, k := range slices.Sorted(maps.Keys(m[table])) {
		if k >= string(from) {
			if more, err := visit([]byte(k), []byte(m[table][k])); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

func (m memoryTx) WalkBack(table string, below []byte, visit func(key, value []byte) (bool, error)) error {
	keys := slices.Sorted(maps.Keys(m[table]))
	for _, k := range slices.Backward(keys) {
		if below == nil || k < string(below) {
			if more, err := visit([]byte(k), []byte(m[table][k])); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

func (m memoryTx) Put(table string, key, value []byte) error {
	if m[table] == nil {
		m[table] = map[string]string{}
	}
	m[table][string(key)] = string(value)
	return nil
}

func (m memoryTx) Delete(table string, key []byte) error {
	delete(m[table], string(key))
	return nil
}

func (m memoryTx) Clear(table string) error {
	delete(m, table)
	return nil
}

func open(t *testing.T, store Store, keep Retention) *History {
	t.Helper()
	h, err := Open(t.Context(), store, nil, keep)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// all are the records of a history, by end.
func all(t *testing.T, h *History) (records []*Record) {
	t.Helper()
	err := h.Each(func(r *Record) error { records = append(records, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func keep(t *testing.T, h *History, records ...*Record) {
	t.Helper()
	if _, err := h.Append(t.Context(), records...); err != nil {
		t.Fatal(err)
	}
}

// size is how many records and works are there.
func size(t *testing.T, h *History) (records, works int) {
	t.Helper()
	records, err := h.Len()
	if err == nil {
		works, err = h.WorkCount()
	}
	if err != nil {
		t.Fatal(err)
	}
	return records, works
}

func ids(records []*Record) string {
	var list []string
	for _, r := range records {
		list = append(list, r.ID)
	}
	return strings.Join(list, " ")
}

func TestWhatIsAppendedIsThereAfterOpeningAgain(t *testing.T) {
	store := &memory{}
	full := ended("a", work("resnet-50", 90), 100)
	full.Utilisation = &Utilisation{Mean: 80, Series: []float64{40, 90}}
	full.Perf = map[string]map[string]float64{"A100": {"8": 1000}}
	full.Estimated = &Estimated{Seconds: 12, Low: 9, High: 15, Rung: "exact", Evidence: 3}
	full.Slowed = true
	keep(t, open(t, store, Retention{}), full, ended("b", fingerprint.Print{}, 90))
	again := open(t, store, Retention{})
	if got := ids(all(t, again)); got != "b a" {
		t.Fatalf("records by end: %q, want b a", got)
	}
	if back, _, err := again.Record("a"); err != nil || cmp.Diff(full, back) != "" {
		t.Errorf("the record changed: %s %v", cmp.Diff(full, back), err)
	}
}

func TestARecordIsTakenInOnce(t *testing.T) {
	h := open(t, &memory{}, Retention{})
	for range 2 {
		keep(t, h, ended("a", work("resnet-50", 90), 100))
	}
	if records, works := size(t, h); records != 1 || works != 1 {
		t.Errorf("%d records of %d works, want 1 of 1", records, works)
	}
}

func TestWhatTheStoreRefusesIsNotThere(t *testing.T) {
	full := errors.New("disk full")
	store := &memory{}
	h := open(t, store, Retention{})
	store.fail = full
	if _, err := h.Append(t.Context(), ended("a", work("resnet-50", 90), 100)); !errors.Is(err, full) {
		t.Errorf("got %v, want the store's error", err)
	}
	if records, _ := size(t, h); records != 0 {
		t.Error("the record is there")
	}
	if _, there, err := h.Record("a"); there || err != nil {
		t.Errorf("the record is found: %v", err)
	}
}

// An entry that cannot be read is left out, told, and stays: who reads with and
// without an index sees the same.
func TestABrokenEntryIsReportedAndTheRestRead(t *testing.T) {
	store := &memory{}
	keep(t, open(t, store, Retention{}), ended("a", work("resnet-50", 90), 100))
	store.tables[dataTable]["zz"] = `{"v":1,"id":"cut off`
	delete(store.tables, aboutTable)
	for _, opened := range []func() (*History, error){
		func() (*History, error) { return OpenToRead(t.Context(), store, nil) },
		func() (*History, error) { return Open(t.Context(), store, nil, Retention{}) },
		func() (*History, error) { return OpenToRead(t.Context(), store, nil) },
	} {
		h, err := opened()
		if err != nil {
			t.Fatal(err)
		}
		broken, err := h.Unreadable(5)
		if records, _ := size(t, h); err != nil || records != 1 || len(broken) != 1 || !strings.Contains(broken[0].Error(), "7a7a") {
			t.Errorf("%d records, unreadable %v: %v", records, broken, err)
		}
	}
	if store.tables[dataTable]["zz"] == "" {
		t.Error("the broken entry is gone")
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
		store := &memory{}
		h := open(t, store, c.keep)
		for i, id := range []string{"a", "b", "c", "d"} {
			keep(t, h, ended(id, work("resnet-50", 90), schedmate.Seconds(100*(i+1))))
		}
		if _, err := h.Prune(t.Context(), 500); err != nil {
			t.Fatal(err)
		}
		if hits, err := h.Search(t.Context(), work("resnet-50", 90), 5, Every, 500); err != nil || len(hits) != min(1, len(c.want)) {
			t.Errorf("%+v: %d works are found: %v", c.keep, len(hits), err)
		}
		if here, kept := ids(all(t, h)), ids(all(t, open(t, store, c.keep))); here != c.want || kept != c.want {
			t.Errorf("%+v keeps %q, on disk %q, want %q", c.keep, here, kept, c.want)
		}
	}
}

func TestAskingWhileOthersAddAndForget(t *testing.T) {
	h := open(t, &memory{}, Retention{MaxRecords: 5})
	done := make(chan error)
	go func() {
		for i := range 200 {
			if _, err := h.Append(context.Background(), ended(fmt.Sprint(i), work("resnet-50", float64(1+i%9)), schedmate.Seconds(100+i%50))); err != nil {
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
			runs, err := hit.Work.Latest(1000, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				_ = r.JobName
			}
		}
		select {
		case err := <-done:
			if records, works := size(t, h); err != nil || records != 5 || works > 5 {
				t.Errorf("%d records of %d works: %v", records, works, err)
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
		seen, err := x.Named("ann", "train-2", 0, at, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			runs, err := h.Work.Latest(at, 0)
			if err != nil || len(runs) == 0 {
				t.Fatalf("a work without a visible run was found: %v", err)
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
			slices.SortStableFunc(want, func(a, b Hit) int { return nearer(ranked{cosine: a.Cosine}, ranked{cosine: b.Cosine}) })
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
		runs, err := x.Named(c.user, c.name, 0, 100, 0)
		if got := ids(runs); err != nil || got != c.want {
			t.Errorf("%s of %s: %q, want %q: %v", c.name, c.user, got, c.want, err)
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
