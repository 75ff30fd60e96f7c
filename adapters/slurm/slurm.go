package slurm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"schedmate"
)

// Slurm reads a cluster by Slurm's commands. It is safe for one goroutine.
type Slurm struct {
	commands *Commands
	clock    func() time.Time
	asRoot   bool // Slurm hides nothing from root
	noJSON   bool // squeue has none, as was found out before
	noLogs   bool // sacct does not tell where jobs logged, as was found out before
}

// New returns a reader that runs the given commands.
func New(c *Commands) *Slurm { return &Slurm{commands: c, clock: time.Now, asRoot: os.Geteuid() == 0} }

// Observe reads the cluster by one set of calls: at most five, whatever the number
// of jobs, and one more where squeue turns out to write no JSON, or jobs seem to be
// hidden. Its errors are
// [*UnreachableError] where Slurm does not answer.
func (s *Slurm) Observe(ctx context.Context) (*schedmate.Observation, error) {
	return observe(ctx, s, s.clock)
}

// queue reads the jobs, also those that ended and that Slurm still holds, which only
// the JSON of 22.05 has unasked: by JSON where squeue has it, else by columns.
func (s *Slurm) queue(ctx context.Context) (q *queue, err error) {
	if !s.noJSON {
		err := s.commands.stream(ctx, func(r io.Reader) (err error) {
			q, err = readJobsJSON(r)
			return err
		}, "squeue", "--json", "-a", "-t", "all")
		if !errors.Is(err, errUnsupported) {
			return q, partly(q, err)
		}
		s.noJSON = true
	}
	separator, err := nonce()
	if err != nil {
		return nil, err
	}
	err = s.commands.stream(ctx, func(r io.Reader) (err error) {
		q, err = readQueueColumns(r, separator)
		return err
	}, "squeue", "-h", "-a", "-t", "all", "-O", queueFormat(separator))
	return q, partly(q, err)
}

// seesAll: Slurm hides nothing from root.
func (s *Slurm) seesAll() bool { return s.asRoot }

func (s *Slurm) nodes(ctx context.Context) ([]schedmate.ObservedNode, []schedmate.Gap, error) {
	return show(ctx, s.commands, readNodes, "-d", "-o", "-a", "show", "node")
}

func (s *Slurm) partitions(ctx context.Context) ([]schedmate.Partition, []schedmate.Gap, error) {
	return show(ctx, s.commands, readPartitions, "-o", "-a", "show", "partition")
}

func (s *Slurm) reservations(ctx context.Context) ([]schedmate.Reservation, []schedmate.Gap, error) {
	return show(ctx, s.commands, readReservations, "-o", "show", "reservation")
}

func (s *Slurm) licences(ctx context.Context) ([]schedmate.Licence, []schedmate.Gap, error) {
	return show(ctx, s.commands, readLicences, "-o", "show", "license")
}

// show reads a list by scontrol.
func show[T any](ctx context.Context, c *Commands, read func(io.Reader) ([]T, []schedmate.Gap, error), args ...string) (list []T, gaps []schedmate.Gap, err error) {
	err = c.stream(ctx, func(r io.Reader) (err error) {
		list, gaps, err = read(r)
		return err
	}, "scontrol", args...)
	return list, gaps, err
}

// nonce is a separator that nobody can have put into a job's name.
func nonce() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("draw a separator: %w", err)
	}
	return "~" + hex.EncodeToString(b[:]) + "~", nil
}
