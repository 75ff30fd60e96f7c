package worker

import (
	"bytes"
	"io"
	"math"
	"math/rand"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

// examples are payloads of questions about real rounds.
func examples() [][]byte {
	var out [][]byte
	r := rand.New(rand.NewSource(1))
	for n := range 6 {
		m := milptest.Tiny(r, n%2 == 1)
		f := []*milp.Formulation{milp.Prefix(m), milp.Stock(m), milp.Direct(m)}[n%3]
		q := question{number: uint64(n), limits: milp.Limits{SoftSeconds: 1, HardSeconds: 2, RelativeGap: 0.001}, program: &f.Program}
		if n > 2 {
			q.start = f.Encode(milp.Solve(m, milp.Options{}))
		}
		out = append(out, q.encode())
	}
	return out
}

// Whatever arrives as a question is refused, or is a program that means something
// and is written as it came.
func FuzzQuestion(f *testing.F) {
	for _, payload := range examples() {
		f.Add(payload)
		f.Add(payload[:len(payload)/2])
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		q, err := decodeQuestion(payload)
		if err != nil {
			return
		}
		if err := q.program.Validate(); err != nil {
			t.Fatal(err)
		}
		if q.start != nil && len(q.start) != len(q.program.Columns) {
			t.Fatal("a start of other columns")
		}
		if !bytes.Equal(q.encode(), payload) {
			t.Fatal("is written in another way")
		}
	})
}

// Whatever arrives as a reply is refused, or is written as it came. One that is
// refused by its question never reaches the planner; see milp.Answer.Check.
func FuzzReply(f *testing.F) {
	for _, y := range []reply{
		{failure: "no library"},
		{number: 1, cpuSeconds: 0.5, failure: "infeasible"},
		{number: 2, answer: &milp.Answer{Bound: math.Inf(1)}},
		{number: 3, answer: &milp.Answer{Values: []float64{}, Objective: 7, Bound: 7, Optimal: true}},
		{number: 4, answer: &milp.Answer{Values: []float64{1, 0}, Objective: 1, Bound: math.NaN()}},
	} {
		f.Add(uint32(y.kind()), y.encode())
	}
	f.Fuzz(func(t *testing.T, k uint32, payload []byte) {
		y, err := decodeReply(kind(k), payload)
		if err != nil {
			return
		}
		if len(y.failure) <= mostText/2 && string([]rune(y.failure)) == y.failure && !bytes.Equal(y.encode(), payload) {
			t.Fatal("is written in another way")
		}
		if y.answer != nil && uint64(len(payload)) > mostAnswer(len(y.answer.Values)) {
			t.Fatal("an answer is larger than mostAnswer allows")
		}
	})
}

// Whatever arrives as a frame is refused, or is as large as its header says; no
// memory is taken for what does not come.
func FuzzFrame(f *testing.F) {
	var hello bytes.Buffer
	if err := writeFrame(&hello, kindHello, greeting.encode()); err != nil {
		f.Fatal(err)
	}
	f.Add(hello.Bytes())
	f.Add([]byte("smw1\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("HiGHS 1.10.0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in := bytes.NewReader(text)
		for {
			k, payload, err := readFrame(in, 1<<40)
			if err != nil {
				if err == io.EOF && in.Len() > 0 {
					t.Fatal("an end that is none")
				}
				return
			}
			var again bytes.Buffer
			if err := writeFrame(&again, k, payload); err != nil || !bytes.HasSuffix(text[:len(text)-in.Len()], again.Bytes()) {
				t.Fatal("is written in another way")
			}
			if k == kindHello {
				if h, err := decodeHello(payload); err == nil && !bytes.Equal(h.encode(), payload) {
					t.Fatal("a hello is written in another way")
				}
			}
		}
	})
}

var greeting = &hello{name: "highs 1.10.0", path: "/lib/libhighs.so"}

// A question arrives as it was asked.
func TestAQuestionArrives(t *testing.T) {
	for n, payload := range examples() {
		q, err := decodeQuestion(payload)
		if err != nil {
			t.Fatalf("example %d: %v", n, err)
		}
		if !bytes.Equal(q.encode(), payload) || q.number != uint64(n) || q.limits.HardSeconds != 2 || (q.start != nil) != (n > 2) {
			t.Errorf("example %d came as %+v", n, q)
		}
	}
}
