package lineclass_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"schedmate/logs/lineclass"
)

// How the model does on frameworks that it has not seen. The frameworks of
// lines.jsonl, in the order of their names, are shuffled with a fixed seed and
// dealt into five folds in turn; ten such dealings are averaged.
const folds = 5

var shufflings = 10

// Figures when the bounds were last set, mean of ten shufflings with the least
// and the most: alone, accuracy 0.869 (0.857 to 0.877), infra_error F1 0.957
// (0.936 to 0.982), progress_metric F1 0.945 (0.938 to 0.955); with more.jsonl,
// 0.897 (0.891 to 0.903), 0.969 (0.959 to 0.982), 0.963 (0.960 to 0.966). The
// bounds leave room for new lines and settings.
func TestUnseenFrameworks(t *testing.T) {
	lines, more := byFile(t)
	for _, c := range []struct {
		name                      string
		extra                     []lineclass.Example
		accuracy, infra, progress float64
	}{
		{"lines.jsonl alone", nil, 0.86, 0.94, 0.92},
		{"with more.jsonl", more, 0.885, 0.955, 0.95},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.extra == nil && shufflings == 1 {
				t.Skip("one case is enough for the race detector")
			}
			results, guesses := shuffled(shufflings, lines, c.extra)
			accuracy := mean(results, (*confusion).accuracy)
			infra := mean(results, func(r *confusion) float64 { return r.f1(lineclass.InfraError) })
			progress := mean(results, func(r *confusion) float64 { return r.f1(lineclass.ProgressMetric) })
			t.Logf("accuracy %v, infra_error F1 %v, progress_metric F1 %v", accuracy, infra, progress)
			t.Logf("confusion, a row a class:\n%s", total(results))
			checkConfidence(t, guesses)
			if accuracy.mean < c.accuracy || infra.mean < c.infra || progress.mean < c.progress {
				t.Errorf("accuracy %v, infra_error F1 %v, progress_metric F1 %v: want at least %.3f, %.3f, %.3f",
					accuracy, infra, progress, c.accuracy, c.infra, c.progress)
			}
		})
	}
}

// Confidence means something: the answers of the surer half are nearly always
// right.
func checkConfidence(t *testing.T, guesses []guess) {
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.sure, a.sure) })
	right := 0
	for i, g := range guesses {
		if g.right {
			right++
		}
		if n := i + 1; n*10/len(guesses) > i*10/len(guesses) {
			t.Logf("the surest %3d %%, confidence from %.2f: %.3f right", 100*n/len(guesses), g.sure, float64(right)/float64(n))
		}
		if n := i + 1; n == len(guesses)/2 && float64(right) < 0.97*float64(n) {
			t.Errorf("of the surer half, %d of %d are right, want 97 %%", right, n)
		}
	}
}

// guess is an answer of the model.
type guess struct {
	sure  lineclass.Confidence
	right bool
}

// A prefix that runtimes and launchers put before lines changes little.
func TestLabelsBeforeLines(t *testing.T) {
	lines, more := byFile(t)
	const fold = 0 // one fold tells enough
	names := frameworks(lines)
	model := lineclass.Train(without(names, fold, lines, more))
	for _, label := range []string{
		"2026-11-02T10:11:12.123456789Z stdout F ", "[rank3]: ", "3: ", "gpu-a01: ", "[1,0]<stdout>:", "[default0]:",
		"(Worker pid=123, ip=10.0.0.1) ", "[2026-11-02 10:11:12,345] ", "\x1b[36m(Worker pid=3)\x1b[0m ",
	} {
		var plain, labelled confusion
		for _, e := range lines {
			if slices.Index(names, e.Framework)%folds != fold {
				continue
			}
			got, _ := model.Classify([]byte(e.Line))
			plain[e.Class][got]++
			got, _ = model.Classify([]byte(label + e.Line))
			labelled[e.Class][got]++
		}
		t.Logf("%-44q accuracy %.3f instead of %.3f", label, labelled.accuracy(), plain.accuracy())
		if labelled.accuracy() < plain.accuracy()-0.05 {
			t.Errorf("%q before the lines: accuracy %.3f instead of %.3f", label, labelled.accuracy(), plain.accuracy())
		}
	}
}

// confusion counts lines by their class and by the answer.
type confusion [9][9]int

func (c *confusion) accuracy() float64 {
	right, all := 0, 0
	for i := range c {
		for j := range c[i] {
			all += c[i][j]
		}
		right += c[i][i]
	}
	return float64(right) / float64(all)
}

// f1 is the harmonic mean of precision and recall.
func (c *confusion) f1(k lineclass.Class) float64 {
	both := 0
	for i := range c {
		both += c[i][k] + c[k][i]
	}
	return 2 * float64(c[k][k]) / float64(both)
}

// spread is a mean with the smallest and the largest value.
type spread struct{ mean, least, most float64 }

func (s spread) String() string { return fmt.Sprintf("%.4f (%.3f to %.3f)", s.mean, s.least, s.most) }

func mean(results []confusion, of func(*confusion) float64) spread {
	s := spread{least: 1}
	for i := range results {
		v := of(&results[i])
		s = spread{s.mean + v/float64(len(results)), min(s.least, v), max(s.most, v)}
	}
	return s
}

func total(results []confusion) string {
	var sum confusion
	for _, r := range results {
		for i := range r {
			for j := range r[i] {
				sum[i][j] += r[i][j]
			}
		}
	}
	var b strings.Builder
	for _, class := range lineclass.Classes() {
		fmt.Fprintf(&b, "%-16s %5d\n", class, sum[class][1:])
	}
	return b.String()
}

// byFile returns the examples of lines.jsonl and those of more.jsonl.
func byFile(t testing.TB) (lines, more []lineclass.Example) {
	t.Helper()
	read := func(name string) []lineclass.Example {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		examples, err := lineclass.ReadExamples(name, f)
		if err != nil {
			t.Fatal(err)
		}
		return examples
	}
	return read("lines.jsonl"), read("more.jsonl")
}

// frameworks returns the names in the order of the alphabet.
func frameworks(examples []lineclass.Example) []string {
	var names []string
	for _, e := range examples {
		if !slices.Contains(names, e.Framework) {
			names = append(names, e.Framework)
		}
	}
	slices.Sort(names)
	return names
}

// kin reports whether two frameworks' names share a part, as ray-train and
// ray-tune do.
func kin(a, b string) bool {
	parts := strings.Split(b, "-")
	return slices.ContainsFunc(strings.Split(a, "-"), func(p string) bool { return slices.Contains(parts, p) })
}

// without returns what may train the model for a fold: the lines of the other
// folds, and the extra lines of frameworks that are no kin to one of this fold.
func without(names []string, fold int, lines, extra []lineclass.Example) []lineclass.Example {
	var train []lineclass.Example
	for _, e := range lines {
		if slices.Index(names, e.Framework)%folds != fold {
			train = append(train, e)
		}
	}
	for _, e := range extra {
		related := false
		for i := fold; i < len(names); i += folds {
			related = related || kin(names[i], e.Framework)
		}
		if !related {
			train = append(train, e)
		}
	}
	return train
}

// crossValidate classifies each fold by a model that has not seen its
// frameworks.
func crossValidate(lines, extra []lineclass.Example, seed uint64, each func(e lineclass.Example, got lineclass.Class, sure lineclass.Confidence)) {
	names := frameworks(lines)
	random := rand.New(rand.NewPCG(seed, 99))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for fold := range folds {
		m := lineclass.Train(without(names, fold, lines, extra))
		for _, e := range lines {
			if slices.Index(names, e.Framework)%folds == fold {
				got, sure := m.Classify([]byte(e.Line))
				each(e, got, sure)
			}
		}
	}
}

// shuffled cross-validates with n dealings of the frameworks. The guesses are
// those of all dealings.
func shuffled(n int, lines, extra []lineclass.Example) ([]confusion, []guess) {
	results, guesses := make([]confusion, n), make([][]guess, n)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			crossValidate(lines, extra, uint64(i), func(e lineclass.Example, got lineclass.Class, sure lineclass.Confidence) {
				results[i][e.Class][got]++
				guesses[i] = append(guesses[i], guess{sure, got == e.Class})
			})
			<-slots
		})
	}
	wg.Wait()
	return results, slices.Concat(guesses...)
}
