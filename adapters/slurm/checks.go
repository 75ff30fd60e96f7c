package slurm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"schedmate"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string
	Status string // one of the statuses below
	Detail string // what was found, or what its lack costs and how to mend it
}

// Statuses of a check.
const (
	Fine    = "ok"
	Missing = "missing" // works without, and the detail says what that costs
	Failed  = "failed"  // must be mended
)

// Checks looks at what a reader of this cluster can and cannot know, and what each
// missing piece costs. Nothing is changed. It returns the cluster as well, nil if it
// cannot be read.
func (s *Slurm) Checks(ctx context.Context) ([]Check, *schedmate.Observation) {
	config, err := s.config(ctx)
	if err != nil {
		return []Check{{"slurmctld", Failed, err.Error()}}, nil
	}
	checks := []Check{{"slurmctld", Fine, fmt.Sprintf("version %s, cluster %s", config["SLURM_VERSION"], config["ClusterName"])}}
	o, err := s.Observe(ctx)
	if err != nil {
		return append(checks, Check{"queue", Failed, err.Error()}), nil
	}
	how := "squeue --json"
	if s.noJSON {
		how = "squeue -O; with Slurm's JSON plugin more is known of jobs on several nodes"
	}
	checks = append(checks, checkQueue(o, how), s.checkLoad(ctx), checkGPUs(o, fmt.Sprintf(" (GresTypes=%s)", config["GresTypes"])), checkAccounting(config), s.CheckPast(ctx), checkPrivacy(config), checkEnded(config), checkOutput(config))
	return append(checks, checkAnswers(o)...), o
}

// checkAnswers tells what could not be read.
func checkAnswers(o *schedmate.Observation) (checks []Check) {
	for _, g := range o.Gaps {
		checks = append(checks, Check{"answers", Missing, g.What + ": " + g.Why})
	}
	return checks
}

// config is Slurm's configuration as its controller has it.
func (s *Slurm) config(ctx context.Context) (map[string]string, error) {
	config := make(map[string]string)
	err := s.commands.stream(ctx, func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if key, value, ok := strings.Cut(lines.Text(), "="); ok {
				config[strings.TrimSpace(key)] = none(strings.TrimSpace(value))
			}
		}
		return lines.Err()
	}, "scontrol", "show", "config")
	return config, err
}

func checkQueue(o *schedmate.Observation, how string) Check {
	return Check{"queue", Fine, fmt.Sprintf("%s and %s, read by %s", plural(len(o.Jobs), "record"), plural(len(o.Nodes), "node"), how)}
}

// busyThreads is how many threads of slurmctld answer requests before it is called
// busy: it has at most 256.
const busyThreads = 128

var sdiagNumber = regexp.MustCompile(`(?m)^(Server thread count|Agent queue size|sdiag output at [^(]*)\s*:?\s*\(?(\d+)`)

// checkLoad asks slurmctld how busy it is, and what time it has.
func (s *Slurm) checkLoad(ctx context.Context) Check {
	var text []byte
	err := s.commands.stream(ctx, func(r io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(r, 64<<10))
		return err
	}, "sdiag")
	if err != nil {
		return Check{"load", Missing, "sdiag cannot be asked, so nobody knows how busy slurmctld is: " + err.Error()}
	}
	threads, at := 0, int64(0)
	for _, m := range sdiagNumber.FindAllSubmatch(text, -1) {
		n, err := strconv.ParseInt(string(m[2]), 10, 64)
		if err != nil {
			continue
		}
		switch name := string(m[1]); {
		case name == "Server thread count":
			threads = int(n)
		case strings.HasPrefix(name, "sdiag output"):
			at = n
		}
	}
	if at > 0 {
		if skew := s.clock().Sub(time.Unix(at, 0)); skew > time.Minute || skew < -time.Minute {
			return Check{"clock", Failed, fmt.Sprintf("this machine and slurmctld differ by %s: times left and ages are wrong by as much; set the clocks by NTP", skew.Round(time.Second))}
		}
	}
	if threads >= busyThreads {
		return Check{"load", Missing, fmt.Sprintf("slurmctld is busy, with %d threads: answers are late; ask less often", threads)}
	}
	return Check{"load", Fine, fmt.Sprintf("slurmctld has %s at work", plural(threads, "thread"))}
}

func checkGPUs(o *schedmate.Observation, configured string) Check {
	gpus, with, shards := 0, 0, 0
	for i := range o.Nodes {
		total, _ := o.Nodes[i].GPUCount("")
		if gpus += total; total > 0 {
			with++
		}
		shards += o.Nodes[i].Shards
	}
	if gpus == 0 {
		return Check{"GPUs", Missing, fmt.Sprintf("no node has any%s: set GresTypes=gpu, Gres= of the nodes, and gres.conf; until then only CPUs and memory are reasoned about", configured)}
	}
	detail := fmt.Sprintf("%d on %s", gpus, plural(with, "node"))
	if shards > 0 {
		detail += fmt.Sprintf(", %d shards", shards)
	}
	return Check{"GPUs", Fine, detail}
}

// checkAccounting looks at whether the database counts GPUs.
func checkAccounting(config map[string]string) Check {
	switch kind := config["AccountingStorageType"]; {
	case kind == "" || strings.HasSuffix(kind, "/none"):
		return Check{"accounting", Missing, "there is no database (AccountingStorageType=none): nothing is known of jobs that ended longer ago than MinJobAge, and 'simulate --format sacct' has no input; set up slurmdbd"}
	case !strings.Contains(config["AccountingStorageTRES"], "gres/gpu"):
		return Check{"accounting", Missing, "the database does not count GPUs: add gres/gpu to AccountingStorageTRES, else past jobs have none"}
	}
	return Check{"accounting", Fine, config["AccountingStorageType"] + ", with GPUs"}
}

// CheckPast asks the database for the last hour.
func (s *Slurm) CheckPast(ctx context.Context) Check {
	start := s.clock()
	jobs, _, err := s.Past(ctx, schedmate.Period{From: schedmate.Seconds(start.Add(-time.Hour).Unix())})
	if err != nil {
		return Check{"past jobs", Missing, "sacct cannot be asked, so that only what slurmctld still holds is known of ended jobs: " + err.Error()}
	}
	return Check{"past jobs", Fine, fmt.Sprintf("%s in the last hour, told in %s", plural(len(jobs), "job"), s.clock().Sub(start).Round(time.Millisecond))}
}

func checkPrivacy(config map[string]string) Check {
	hidden := config["PrivateData"]
	if hidden == "" || hidden == "none" {
		return Check{"visibility", Fine, "all users' jobs and nodes may be seen"}
	}
	return Check{"visibility", Missing, "PrivateData=" + hidden + ": unless you are an operator, who holds what you wait for stays hidden"}
}

// shortMemory is how long slurmctld should hold ended jobs at least, seconds: a
// person who is paged needs to get to a keyboard.
const shortMemory = 120

func checkEnded(config map[string]string) Check {
	text, _, _ := strings.Cut(config["MinJobAge"], " ")
	seconds, err := strconv.Atoi(text)
	if err == nil && seconds < shortMemory {
		return Check{"ended jobs", Missing, fmt.Sprintf("slurmctld forgets them after %d s (MinJobAge): where a job logged is known only until then", seconds)}
	}
	return Check{"ended jobs", Fine, "slurmctld holds them for " + config["MinJobAge"] + ", with where they logged"}
}

func checkOutput(config map[string]string) Check {
	if config["JobFileAppend"] == "0" {
		return Check{"requeued jobs", Missing, "their logs are emptied when they start again (JobFileAppend=0): what ended the earlier run is lost unless the script appends (#SBATCH --open-mode=append)"}
	}
	return Check{"requeued jobs", Fine, "their logs are kept (JobFileAppend=1)"}
}
