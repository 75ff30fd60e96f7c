package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"schedmate"
)

// jobID is what people call a job: 7, task 7_3, part 7+1.
var jobID = regexp.MustCompile(`^[0-9]{1,12}(?:[_+][0-9]{1,9})?$`)

// Past reads jobs that ended from Slurm's database, which a cluster need not have.
func (s *Slurm) Past(ctx context.Context, of schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	separator, err := nonce()
	if err != nil {
		return nil, nil, err
	}
	args := []string{"-P", "-n", "-D", "-X", "--delimiter", separator}
	if of.User != "" {
		if !userNames.MatchString(of.User) {
			return nil, nil, fmt.Errorf("%q is no name of a user", of.User)
		}
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
	ask := func(columns []string) error {
		return patiently(ctx, func() error {
			return s.commands.stream(ctx, func(r io.Reader) (err error) {
				jobs, gaps, err = readPast(r, table{separator, columns, false})
				return err
			}, "sacct", append(slices.Clone(args), "-o", strings.Join(columns, ","))...)
		})
	}
	if !s.noLogs {
		if err = ask(pastColumnsWithLogs); errors.Is(err, errUnsupported) {
			s.noLogs = true
		}
	}
	if s.noLogs {
		err = ask(pastColumns)
	}
	if errors.Is(err, errCut) && len(jobs) > 0 {
		gaps = append(gaps, schedmate.Gap{What: "the rest of the past jobs", Why: "Slurm's answer broke off after " + plural(len(jobs), "job"), Next: "ask again"})
		err = nil
	}
	return jobs, gaps, err
}

// userNames are one or more users, by name or number.
var userNames = regexp.MustCompile(`^[\pL\pN_.][\pL\pN_.@$-]*(,[\pL\pN_.][\pL\pN_.@$-]*)*$`)

// clockTime is an instant as Slurm's commands read it, by the local clock.
func clockTime(at schedmate.Seconds) string {
	return time.Unix(int64(at), 0).Format("2006-01-02T15:04:05")
}
