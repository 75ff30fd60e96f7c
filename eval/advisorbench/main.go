// Advisorbench scores the advisor on labelled jobs: it makes the tree of each job
// from bare snapshots of its repository, asks the program about it as a user
// would, and hands the answers to the scorer of the cases. What cannot be made is
// named and counted. Trees are removed when they are answered.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	cases := flag.String("cases", "", "`folder` of the cases: jobs.jsonl, pairs.jsonl, materialise.py, score.py")
	mirror := flag.String("mirror", "", "`folder` of bare snapshots, OWNER+NAME/repo")
	binary := flag.String("binary", "./schedmate", "the program")
	out := flag.String("o", "out/advisor.jsonl", "`file` for the answers")
	pairs := flag.Bool("pairs", true, "ask about pairs too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *cases, *mirror, *binary, *out, *pairs); err != nil {
		fmt.Fprintln(os.Stderr, "advisorbench:", err)
		os.Exit(1)
	}
}

// labelled is what is needed of a labelled job or pair; its truth is not read.
type labelled struct {
	ID string `json:"id"`
	A  struct {
		Job string `json:"job"`
	} `json:"a"`
}

func run(ctx context.Context, cases, mirror, binary, out string, withPairs bool) error {
	if cases == "" || mirror == "" {
		return errors.New("name the folder of the cases with -cases and that of the snapshots with -mirror, as in: make eval-advisor MIRROR=DIR")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return errors.New("python3 is not installed: the cases are made and scored by scripts beside them; install it")
	}
	jobs, err := read(filepath.Join(cases, "jobs.jsonl"))
	if err != nil {
		return err
	}
	pairs, err := read(filepath.Join(cases, "pairs.jsonl"))
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "advisorbench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	answers, err := os.Create(out)
	if err != nil {
		return err
	}
	defer answers.Close()
	b := &bench{ctx: ctx, cases: cases, mirror: mirror, binary: binary, python: python, work: work}
	of := map[string][]labelled{} // pairs by their job a, whose tree is made once
	for _, p := range pairs {
		of[p.A.Job] = append(of[p.A.Job], p)
	}
	for i, j := range jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, ok := b.tree(j.ID)
		if ok {
			fmt.Fprintf(os.Stderr, "%d/%d %s\n", i+1, len(jobs), j.ID)
			b.ask(answers, a, "estimate", "--no-cache", "--jsonl", "--submissions", "-")
			for _, p := range of[j.ID] {
				if !withPairs {
					break
				}
				if other, ok := b.tree(p.ID); ok {
					pair, err := json.Marshal(map[string]any{"pair": p.ID, "a": json.RawMessage(a), "b": json.RawMessage(other)})
					if err != nil {
						return err
					}
					b.ask(answers, pair, "match", "--no-cache", "--jsonl", "--submissions", "-")
				}
				b.remove(p.ID)
			}
		}
		b.remove(j.ID)
	}
	if len(b.absent) > 0 {
		fmt.Printf("%d could not be made from the snapshots in %s and count as no answer:\n", len(b.absent), mirror)
		for _, line := range b.absent {
			fmt.Println("  " + line)
		}
	}
	fmt.Printf("%d submissions and pairs asked, %d could not be made, %d failed\n", b.asked, len(b.absent), b.failed)
	score := exec.CommandContext(ctx, python, filepath.Join(cases, "score.py"), cases, out)
	score.Stdout, score.Stderr = os.Stdout, os.Stderr
	return score.Run()
}

type bench struct {
	ctx                                 context.Context
	cases, mirror, binary, python, work string
	asked, failed                       int
	absent                              []string
}

// tree makes the tree of a job or of the second side of a pair, and returns its
// submission with an absolute root.
func (b *bench) tree(id string) ([]byte, bool) {
	folder := filepath.Join(b.work, id)
	make := exec.CommandContext(b.ctx, b.python, filepath.Join(b.cases, "materialise.py"), b.cases, id, folder)
	make.Env = append(os.Environ(), "ADV_MIRROR="+b.mirror)
	if text, err := make.CombinedOutput(); err != nil {
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		b.absent = append(b.absent, fmt.Sprintf("%s: %s", id, lines[len(lines)-1]))
		return nil, false
	}
	text, err := os.ReadFile(filepath.Join(folder, "submission.json"))
	var s map[string]any
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		b.absent = append(b.absent, fmt.Sprintf("%s: %v", id, err))
		return nil, false
	}
	s["root"] = filepath.Join(folder, fmt.Sprint(s["root"]))
	line, err := json.Marshal(s)
	return line, err == nil
}

func (b *bench) remove(id string) { os.RemoveAll(filepath.Join(b.work, id)) }

// ask runs the program on one line.
func (b *bench) ask(answers *os.File, line []byte, args ...string) {
	cmd := exec.CommandContext(b.ctx, b.binary, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(line), answers, os.Stderr
	b.asked++
	if cmd.Run() != nil {
		b.failed++
	}
}

func read(path string) ([]labelled, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w; name their folder with SCHEDMATE_CASES or -cases", err)
	}
	defer f.Close()
	var all []labelled
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, l)
	}
	return all, lines.Err()
}
