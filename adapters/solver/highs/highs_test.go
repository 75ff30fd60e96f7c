package highs_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/adapters/solver/highs"
	"schedmate/internal/config"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
	"schedmate/scheduler/milp/roundfile"
)

// library opens HiGHS as the program would, once for all tests.
var library = sync.OnceValues(func() (*highs.Library, error) {
	state := ""
	if c, err := config.Load(config.Sources{Env: os.LookupEnv, Processors: 1}); err == nil {
		state = c.State
	}
	return highs.Open(highs.Candidates(os.LookupEnv, state))
})

// needed returns HiGHS. Where there is none the test is skipped, unless one was
// named.
func needed(t testing.TB) *highs.Library {
	t.Helper()
	l, err := library()
	if err == nil {
		return l
	}
	if os.Getenv(highs.Variable) != "" {
		t.Fatal(err)
	}
	t.Skip("needs the HiGHS library: run make highs")
	return nil
}

func TestContract(t *testing.T) {
	for _, err := range milptest.Contract(needed(t)) {
		t.Error(err)
	}
}

// Rounds whose optima are proven have these optima: that of the textbook model is
// the round's, and that of the rows lies between it and the bound that comes with
// the round, which is of rows without what this program knows to be impossible.
// They were proven by a program that shares nothing with this one, and by
// enumeration.
func TestCertifiedRounds(t *testing.T) {
	l := needed(t)
	optimum := func(name string, f *milp.Formulation) float64 {
		a, err := l.Maximise(&f.Program, nil, milp.Limits{})
		if err == nil && !a.Optimal {
			err = errors.New("nothing is proven")
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return a.Objective
	}
	const rounding = 1e-4
	equal := func(a, b float64) bool { return math.Abs(a-b) < rounding }
	asked, tight := 0, 0
	for _, c := range certified(t) {
		want := *c.Expect.Objective
		if got := optimum(c.Name, milp.Direct(c.model)); !equal(got, want) {
			t.Errorf("%s: the textbook model earns %v, want %v", c.Name, got, want)
		}
		prefix, stock := optimum(c.Name, milp.Prefix(c.model)), optimum(c.Name, milp.Stock(c.model))
		if !equal(prefix, stock) || prefix < want-rounding || prefix > *c.Expect.Prefix+rounding {
			t.Errorf("%s: the rows earn %v and %v, want the same from %v to %v", c.Name, prefix, stock, want, *c.Expect.Prefix)
		}
		asked++
		if equal(prefix, *c.Expect.Prefix) {
			tight++
		}
	}
	t.Logf("%d rounds; in %d the rows earn all of the bound that comes with it", asked, tight)
	if asked < 60 || tight < asked*9/10 {
		t.Error("too few to show anything")
	}
}

// certifiedCase is a round that comes with its optimum.
type certifiedCase struct {
	Name   string
	New    json.RawMessage
	Expect struct {
		Objective *float64
		Prefix    *float64 `json:"prefix_bound"`
	}
	model *milp.Model
}

func certified(t *testing.T) []certifiedCase {
	t.Helper()
	var out []certifiedCase
	for _, name := range []string{"select.json", "unisched.json", "medium.json"} {
		if name == "medium.json" && (testing.Short() || raceDetector) {
			continue // its textbook models take a second each
		}
		text, err := os.ReadFile(filepath.Join("../../../scheduler/milp/roundfile/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		cases, err := roundfile.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range cases {
			var c certifiedCase
			if err := json.Unmarshal(text, &c); err != nil {
				t.Fatal(err)
			}
			if c.model, err = roundfile.Model(text); err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
		}
	}
	return out
}

// With no time at all, the answer is the start or better.
func TestAStartIsKept(t *testing.T) {
	l := needed(t)
	r := rand.New(rand.NewSource(4))
	for range 5 {
		m := milptest.Chronus(r, 150, 96, 72, 20, 1.2)
		p := milp.Solve(m, milp.Options{Seed: 1})
		for _, f := range []*milp.Formulation{milp.Prefix(m), milp.Stock(m)} {
			a, err := l.Maximise(&f.Program, f.Encode(p), milp.Limits{SoftSeconds: 0.001})
			if err != nil || a.Values == nil || a.Objective < p.Value.Value()-1e-3 {
				t.Errorf("a start of %v, and %+v, %v", p.Value.Value(), a, err)
			}
		}
	}
}

// Runs do not depend on those before them or beside them.
func TestRunsDoNotDependOnEachOther(t *testing.T) {
	l := needed(t)
	var programs []*milp.Program
	var alone []*milp.Answer
	r := rand.New(rand.NewSource(5))
	for n := range 6 {
		f := milp.Prefix(milptest.Chronus(r, 30+20*n, 0, 48, 30, 1.2))
		a, err := l.Maximise(&f.Program, nil, milp.Limits{RelativeGap: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		programs, alone = append(programs, &f.Program), append(alone, a)
	}
	var all sync.WaitGroup
	for n := len(programs) - 1; n >= 0; n-- {
		all.Go(func() {
			a, err := l.Maximise(programs[n], nil, milp.Limits{RelativeGap: 0.01})
			if err != nil {
				t.Error(err)
			} else if diff := cmp.Diff(alone[n], a); diff != "" {
				t.Errorf("program %d: %s", n, diff)
			}
		})
	}
	all.Wait()
}
