package slurm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedmate"
)

// Slurm reads a cluster by Slurm's commands. It is safe for one goroutine.
type Slurm struct {
	commands *Commands
	clock    func() time.Time
	pause    func(context.Context, time.Duration) error
	noJSON   bool // squeue has none, as was found out before
}

// New returns a reader that runs the given commands.
func New(c *Commands) *Slurm { return &Slurm{commands: c, clock: time.Now, pause: sleep} }

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// backOff is how long to wait before a busy Slurm is asked again.
var backOff = []time.Duration{2 * time.Second, 6 * time.Second}

// patiently asks again while Slurm is busy.
func (s *Slurm) patiently(ctx context.Context, ask func() error) error {
	for try := 0; ; try++ {
		err := ask()
		var busy *UnreachableError
		if err == nil || !errors.As(err, &busy) || !busy.Busy || try >= len(backOff) {
			return err
		}
		if err := s.pause(ctx, backOff[try]); err != nil {
			return err
		}
	}
}

// Observe reads the cluster by one set of calls.
func (s *Slurm) Observe(ctx context.Context) (*schedmate.Observation, error) {
	o := &schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, System: schedmate.System{Name: "slurm"}}
	q, err := s.queue(ctx)
	if err != nil {
		return nil, err
	}
	o.Jobs, o.Gaps = q.jobs, q.gaps
	o.System.Version, o.System.Cluster = q.system.Version, q.system.Cluster
	o.Now = schedmate.Seconds(s.clock().Unix())
	err = s.patiently(ctx, func() error {
		return s.commands.stream(ctx, func(r io.Reader) (err error) {
			var gaps []schedmate.Gap
			o.Nodes, gaps, err = readNodes(r)
			o.Gaps = append(o.Gaps, gaps...)
			return err
		}, "scontrol", "-d", "-o", "-a", "show", "node")
	})
	if err != nil {
		return nil, err
	}
	if o.System.Version == "" && len(o.Nodes) > 0 {
		o.System.Version = o.Nodes[0].Version
	}
	s.part(ctx, o, "partitions", func(r io.Reader) (gaps []schedmate.Gap, err error) {
		o.Partitions, gaps, err = readPartitions(r)
		return gaps, err
	}, "-o", "-a", "show", "partition")
	s.part(ctx, o, "reservations", func(r io.Reader) (gaps []schedmate.Gap, err error) {
		o.Reservations, gaps, err = readReservations(r)
		return gaps, err
	}, "-o", "show", "reservation")
	if slices.ContainsFunc(o.Jobs, func(j schedmate.ObservedJob) bool { return j.Licences != "" }) {
		s.part(ctx, o, "licences", func(r io.Reader) (gaps []schedmate.Gap, err error) {
			o.Licences, gaps, err = readLicences(r)
			return gaps, err
		}, "-o", "show", "license")
	}
	return o, ctx.Err()
}

// part reads what the rest can do without: if it cannot be read, that is a gap.
func (s *Slurm) part(ctx context.Context, o *schedmate.Observation, what string, read func(io.Reader) ([]schedmate.Gap, error), args ...string) {
	err := s.patiently(ctx, func() error {
		return s.commands.stream(ctx, func(r io.Reader) error {
			gaps, err := read(r)
			o.Gaps = append(o.Gaps, gaps...)
			return err
		}, "scontrol", args...)
	})
	if err != nil {
		o.Gaps = append(o.Gaps, schedmate.Gap{What: what, Why: err.Error()})
	}
}

// queue reads the jobs: by JSON where squeue has it, else by columns.
func (s *Slurm) queue(ctx context.Context) (q *queue, err error) {
	if !s.noJSON {
		err = s.patiently(ctx, func() error {
			return s.commands.stream(ctx, func(r io.Reader) (err error) {
				q, err = readJobsJSON(r)
				return err
			}, "squeue", "--json", "-a")
		})
		if !errors.Is(err, errUnsupported) {
			return q, s.partly(q, err)
		}
		s.noJSON = true
	}
	separator, err := nonce()
	if err != nil {
		return nil, err
	}
	err = s.patiently(ctx, func() error {
		return s.commands.stream(ctx, func(r io.Reader) (err error) {
			q, err = readQueueColumns(r, separator)
			return err
		}, "squeue", "-h", "-a", "-O", queueFormat(separator))
	})
	return q, s.partly(q, err)
}

// partly makes a gap of an answer that broke off: what came before it holds.
func (s *Slurm) partly(q *queue, err error) error {
	if !errors.Is(err, errCut) || q == nil || len(q.jobs) == 0 {
		return err
	}
	q.gaps = append(q.gaps, schedmate.Gap{What: "the rest of the queue", Why: "Slurm's answer broke off after " + plural(len(q.jobs), "job"), Next: "ask again"})
	return nil
}

// nonce is a separator that nobody can have put into a job's name.
func nonce() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("draw a separator: %w", err)
	}
	return "~" + hex.EncodeToString(b[:]) + "~", nil
}

// Past reads jobs that ended from Slurm's database, or from its controller's
// memory where there is no database.
func (s *Slurm) Past(ctx context.Context, of schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	separator, err := nonce()
	if err != nil {
		return nil, nil, err
	}
	args := []string{"-P", "-n", "-D", "-X", "--delimiter=" + separator, "-o", strings.Join(pastColumns, ",")}
	if of.User != "" {
		args = append(args, "-u", of.User)
	} else {
		args = append(args, "-a")
	}
	if len(of.IDs) > 0 {
		for _, id := range of.IDs {
			if !jobID.MatchString(id) {
				return nil, nil, fmt.Errorf("%q is no job id of Slurm", id)
			}
		}
		args = append(args, "-j", strings.Join(of.IDs, ","))
	}
	if from := of.From; from > 0 {
		args = append(args, "-S", clockTime(from))
	} else if len(of.IDs) > 0 {
		args = append(args, "-S", "1970-01-01")
	}
	if to := of.To; to > 0 {
		args = append(args, "-E", clockTime(to))
	}
	var jobs []schedmate.ObservedJob
	var gaps []schedmate.Gap
	err = s.patiently(ctx, func() error {
		return s.commands.stream(ctx, func(r io.Reader) (err error) {
			jobs, gaps, err = readPast(r, separator)
			return err
		}, "sacct", args...)
	})
	return jobs, gaps, err
}

// clockTime is an instant as Slurm's commands read it, by the local clock.
func clockTime(at schedmate.Seconds) string {
	return time.Unix(int64(at), 0).Format("2006-01-02T15:04:05")
}

// Script reads the script of a job that the controller still holds. Its owner and
// administrators may.
func (s *Slurm) Script(ctx context.Context, number int64) ([]byte, error) {
	var script []byte
	err := s.commands.stream(ctx, func(r io.Reader) (err error) {
		script, err = io.ReadAll(io.LimitReader(r, 8<<20))
		return err
	}, "scontrol", "write", "batch_script", strconv.FormatInt(number, 10), "-")
	return script, err
}
