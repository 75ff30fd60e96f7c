package history

import (
	"context"
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

// anyRecord is one of few works, users and names, so that much is equal.
func anyRecord(t *rapid.T, id string) *Record {
	r := ended(id, fingerprint.Print{}, schedmate.Seconds(rapid.IntRange(20, 60).Draw(t, "end")))
	if rapid.IntRange(0, 4).Draw(t, "known") > 0 {
		fields := work(rapid.SampledFrom([]string{"resnet-50", "vgg-19", "bert"}).Draw(t, "model"), float64(rapid.IntRange(1, 3).Draw(t, "epochs"))).Fields
		fields[workload.Dataset] = fingerprint.Words(rapid.SampledFrom([]string{"imagenet", "wikipedia"}).Draw(t, "data"))
		r.Print = fingerprint.New(fields, "")
	}
	r.User = rapid.SampledFrom([]string{"ann", "bob", `q"uote`}).Draw(t, "user")
	r.JobName = rapid.SampledFrom([]string{"train-1", "train-2", "eval", "7"}).Draw(t, "name")
	r.GPUs = rapid.IntRange(1, 2).Draw(t, "gpus")
	r.GPUType = rapid.SampledFrom([]string{"A100", ""}).Draw(t, "type")
	if rapid.Bool().Draw(t, "estimated") {
		r.Estimated = &Estimated{Seconds: 12, Low: 9, High: 15, Rung: "exact", Evidence: 3}
	}
	return r
}

// told is all that a history answers to a question.
func told(t *rapid.T, past interface {
	Search(ctx context.Context, p fingerprint.Print, k int, filter Filter, at schedmate.Seconds) ([]Hit, error)
	Named(user, jobName string, gpus int, at schedmate.Seconds, most int) ([]*Record, error)
	Works(at schedmate.Seconds, visit func(*Work) error) error
	Threshold(ctx context.Context, at schedmate.Seconds) (Threshold, error)
	Outcomes(visit func(*Record) error) error
	Len() (int, error)
	WorkCount() (int, error)
}, p fingerprint.Print, at schedmate.Seconds) string {
	var b strings.Builder
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	tell := func(w *Work, cosine float64) error {
		runs, err := w.Latest(at, 3)
		fmt.Fprintf(&b, "work %+v %v: %s\n", w.Print, cosine, ids(runs))
		return err
	}
	for _, filter := range []Filter{Related, Every} {
		for _, k := range []int{1, 4, 100} {
			hits, err := past.Search(context.Background(), p, k, filter, at)
			must(err)
			for _, h := range hits {
				must(tell(h.Work, h.Cosine))
			}
		}
	}
	must(past.Works(at, func(w *Work) error { return tell(w, 0) }))
	for _, gpus := range []int{-1, 1, 2} {
		for _, most := range []int{0, 2} {
			runs, err := past.Named("ann", "train", gpus, at, most)
			must(err)
			fmt.Fprintf(&b, "named %s\n", ids(runs))
		}
	}
	must(past.Outcomes(func(r *Record) error { fmt.Fprintf(&b, "outcome %s %v\n", r.ID, *r.Estimated); return nil }))
	th, err := past.Threshold(context.Background(), at)
	must(err)
	records, err := past.Len()
	must(err)
	works, err := past.WorkCount()
	must(err)
	fmt.Fprintf(&b, "%+v, %d records of %d works\n", th, records, works)
	return b.String()
}

// A history on disk answers as an index in memory of the same records does,
// whatever was appended, forgotten and made anew before.
func TestTheTablesAnswerAsTheIndexInMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keep := Retention{MaxRecords: rapid.IntRange(1, 30).Draw(t, "kept")}
		store := &memory{}
		h, err := Open(context.Background(), store, nil, keep)
		if err != nil {
			t.Fatal(err)
		}
		var here []*Record // as they came; a work that is forgotten and comes again comes last
		for i := range rapid.IntRange(1, 6).Draw(t, "changes") {
			switch rapid.SampledFrom([]string{"append", "append", "prune", "index"}).Draw(t, "change") {
			case "append":
				var batch []*Record
				for j := range rapid.IntRange(1, 8).Draw(t, "batch") {
					batch = append(batch, anyRecord(t, fmt.Sprintf("%d-%d", i, j)))
				}
				n, err := h.Append(context.Background(), append(batch, batch[0])...)
				if err != nil || n != len(batch) {
					t.Fatalf("%d of %d were new: %v", n, len(batch), err)
				}
				here = append(here, batch...)
			case "prune":
				n, err := h.Prune(context.Background(), 100)
				if want := max(0, len(here)-keep.MaxRecords); err != nil || n != want {
					t.Fatalf("%d forgotten, want %d: %v", n, want, err)
				}
				old := slices.SortedFunc(slices.Values(here), byEnd)[:n]
				here = slices.DeleteFunc(here, func(r *Record) bool { return slices.Contains(old, r) })
			case "index":
				if err := h.Reindex(context.Background()); err != nil {
					t.Fatal(err)
				}
				slices.SortFunc(here, byEnd) // it is made in order of their ends
			}
		}
		for _, r := range here {
			back, ok, err := h.Record(r.ID)
			if diff := cmp.Diff(r, back); !ok || err != nil || diff != "" {
				t.Fatalf("record %s: %v %s", r.ID, err, diff)
			}
		}
		at := schedmate.Seconds(rapid.IntRange(10, 70).Draw(t, "at"))
		asked := work("resnet-50", float64(rapid.IntRange(1, 3).Draw(t, "asked")))
		if rapid.IntRange(0, 5).Draw(t, "bare") == 0 {
			asked = fingerprint.New(fingerprint.Canonical{workload.Optimizer: fingerprint.Words("adam")}, "")
		}
		twin := NewIndex(nil)
		if err := twin.Add(context.Background(), h.inOrder(t, here)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(told(t, twin, asked, at), told(t, h, asked, at)); diff != "" {
			t.Fatalf("memory and tables: %s", diff)
		}
		bare := &memory{tables: maps.Clone(store.tables)}
		delete(bare.tables, aboutTable)
		old, err := OpenToRead(context.Background(), bare, nil)
		if err != nil || old.Indexed() {
			t.Fatalf("a store without an index: %v", err)
		}
		for _, who := range []string{"", `q"uote`} {
			want, total, err := h.Last(who, 2)
			if err != nil {
				t.Fatal(err)
			}
			if got, n, err := old.Last(who, 2); err != nil || n != total || ids(got) != ids(want) {
				t.Fatalf("last of %q: %s of %d, with an index %s of %d: %v", who, ids(got), n, ids(want), total, err)
			}
		}
	})
}

// inOrder are records in order of the numbers of their works.
func (h *History) inOrder(t *rapid.T, records []*Record) []*Record {
	numbers := make(map[string]int)
	err := h.Works(Ever, func(w *Work) error { numbers[w.Print.Whole] = w.number; return nil })
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Clone(records)
	slices.SortStableFunc(list, func(a, b *Record) int { return numbers[a.Print.Whole] - numbers[b.Print.Whole] })
	return list
}

// A store of the program before has its prints in the records and no index. It
// answers, and once it is opened to be written it has both.
func TestAStoreWithoutAnIndexIsTakenOver(t *testing.T) {
	store := &memory{tables: memoryTx{dataTable: {}}}
	var want []*Record
	for i := range 5 {
		r := ended(fmt.Sprint(i), work("resnet-50", float64(1+i%2)), schedmate.Seconds(100+i))
		line, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		store.tables[dataTable][string(recordKey(r))] = string(line)
		want = append(want, r)
	}
	long := len(store.tables[dataTable][string(recordKey(want[0]))])
	old, err := OpenToRead(t.Context(), store, nil)
	if err != nil || old.Indexed() {
		t.Fatalf("without an index: %v", err)
	}
	if diff := cmp.Diff(want, all(t, old)); diff != "" {
		t.Error(diff)
	}
	if _, err := old.Append(t.Context(), ended("x", work("bert", 1), 200)); err == nil {
		t.Error("a history that is only read took a record")
	}
	h := open(t, store, Retention{})
	if records, works := size(t, h); !h.Indexed() || !h.IndexedAnew() || records != 5 || works != 2 {
		t.Errorf("%d records of %d works, want 5 of 2, with an index made anew", records, works)
	}
	if diff := cmp.Diff(want, all(t, h)); diff != "" {
		t.Error(diff)
	}
	if now := len(store.tables[dataTable][string(recordKey(want[0]))]); now >= long {
		t.Errorf("a record has %d bytes with its print beside it, had %d", now, long)
	}
	if again := open(t, store, Retention{}); again.IndexedAnew() {
		t.Error("the index was made twice")
	}
}

// Whatever bytes the index holds, a question is answered or refused with a way out.
func TestADamagedIndexIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := &memory{}
		h, err := Open(context.Background(), store, nil, Retention{})
		if err == nil {
			_, err = h.Append(context.Background(), anyRecord(t, "a"), anyRecord(t, "b"), ended("c", work("vgg-19", 2), 30))
		}
		if err != nil {
			t.Fatal(err)
		}
		table := rapid.SampledFrom([]string{worksTable, numbersTable, vectorsTable, postingsTable, runsTable, outcomesTable, printsTable}).Draw(t, "table")
		for key := range store.tables[table] {
			store.tables[table][key] = rapid.StringN(0, 40, 40).Draw(t, "bytes")
		}
		if hits, err := h.Search(context.Background(), work("vgg-19", 2), 3, Every, 100); err == nil {
			for _, hit := range hits {
				_, _ = hit.Work.Latest(100, 0) // it may fail, too
			}
		}
		_ = h.Outcomes(func(*Record) error { return nil })
		if err := h.Reindex(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Search(context.Background(), work("vgg-19", 2), 3, Every, 100); err != nil {
			t.Fatalf("after making it anew: %v", err)
		}
	})
}

func FuzzBrief(f *testing.F) {
	r := ended("a", fingerprint.Print{}, 100)
	r.Utilisation, r.Estimated = &Utilisation{Mean: 80, Steady: 90}, &Estimated{Seconds: 12, Low: 9, High: 15, Rung: "exact", Evidence: 3}
	r.Perf, r.Slowed, r.Hardware = map[string]map[string]float64{"A100": {"8": 1000, "4": 600}, "H100": {}}, true, "535"
	back, err := (&briefs{}).read(brief(r))
	if diff := cmp.Diff(r, back); err != nil || diff != "" {
		f.Fatalf("%v %s", err, diff)
	}
	p := work("vgg-19", 2).With("r", fingerprint.Settings{"cap": "1a", "data": fingerprint.Open})
	p.Fields[workload.ImageSize] = fingerprint.Number(224, 192)
	if same, err := (&briefs{}).print(briefPrint(p)); err != nil || cmp.Diff(p, same) != "" {
		f.Fatalf("%v %s", err, cmp.Diff(p, same))
	}
	f.Add(brief(r))
	f.Add(briefPrint(p))
	f.Add([]byte{briefVersion, 0, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := (&briefs{}).print(text); err == nil {
			if _, err := (&briefs{}).print(briefPrint(p)); err != nil {
				t.Fatalf("%+v is not read again: %v", p, err)
			}
		}
		if r, err := (&briefs{}).read(text); err == nil {
			if again, err := (&briefs{}).read(brief(r)); err != nil || cmp.Diff(fmt.Sprint(r), fmt.Sprint(again)) == "" && again.ID != r.ID {
				t.Fatalf("%+v: read again %+v: %v", r, again, err)
			}
		}
	})
}
