// Command rounds draws lease rounds of kinds that are hard for files that other
// solvers answer, and compares the planner with what they have proven.
//
//	go run ./eval/rounds -draw 40 -o DIR       # rounds and admissions, a file for each kind
//	python3 eval/rounds/referee.py DIR/*.json  # an independent model in CP-SAT writes what it proves into them
//	go run ./eval/rounds DIR/*.json            # one line a file: how many are equal
//
// `make eval-rounds` does the three. An admission is drawn at the edge: of a round's
// jobs in order the last that the planner promises, and the first that it refuses;
// whether that is right is for the referee to say.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"schedmate/scheduler/milp/roundfile"
)

func main() {
	draw := flag.Int("draw", 0, "draw so many `rounds` of each kind into the folder -o, and compare nothing")
	folder := flag.String("o", ".", "`folder` for drawn rounds")
	seed := flag.Int64("seed", 1, "seed of drawn rounds")
	flag.Parse()
	var err error
	if *draw > 0 {
		err = drawn(*folder, *draw, *seed)
	} else {
		err = compared(flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rounds:", err)
		os.Exit(1)
	}
}

// compared prints a line for each file, and returns an error when an answer
// contradicts what was proven.
func compared(files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("no files: give those that referee.py has answered, or -draw to make some")
	}
	fmt.Println("file | rounds | decided by the referee | equal | undecided, within its bounds | proven by us | CPU s p50 | p99 | max")
	wrong := 0
	for _, file := range files {
		s, err := scored(file)
		if err != nil {
			return err
		}
		slices.Sort(s.cpu)
		at := func(p int) float64 { return s.cpu[(len(s.cpu)-1)*p/100] }
		fmt.Printf("%s | %d | %d | %d | %d | %d | %.4f | %.4f | %.4f\n", filepath.Base(file), len(s.cpu), s.decided, s.equal, s.within, s.proven, at(50), at(99), at(100))
		for _, line := range s.wrong {
			fmt.Println("  ", line)
		}
		wrong += len(s.wrong)
	}
	if wrong > 0 {
		return fmt.Errorf("%d answers contradict the referee or fall short of it", wrong)
	}
	return nil
}

// answered is what referee.py writes into a case.
type answered struct {
	Name   string
	Expect struct {
		Objective *float64 // proven to be the most
		Admit     *bool
		Bounds    []float64 // of a round that it did not finish: what it found, and the most there can be
	}
}

func read(file string) ([]json.RawMessage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read rounds: %w", err)
	}
	return roundfile.Read(text)
}

// used is the CPU time of this process so far.
func used() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, fmt.Errorf("ask for the CPU time used: %w", err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}
