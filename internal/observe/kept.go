package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"schedmate"
)

// Kept asks a source at most once an interval, however often it is asked itself:
// the answer is kept in a file, so that it serves all commands of a user. A source
// that does not answer is stood in for by its last answer, for a while.
type Kept struct {
	Source
	File   string
	MaxAge time.Duration // up to which an answer serves
	Stale  time.Duration // up to which it stands in for a source that does not answer
	Clock  func() time.Time
}

// Observe returns the kept answer if it is young enough, else asks. Of many commands
// at the same moment one asks, and its answer serves all that came before it asked, also
// those that want nothing old.
func (k *Kept) Observe(ctx context.Context) (*schedmate.Observation, error) {
	came := k.Clock()
	kept, _, young := k.recall()
	if young {
		return kept, nil
	}
	release := k.takeTurn(ctx)
	defer release()
	kept, asked, young := k.recall()
	if young || kept != nil && asked.After(came) && k.age(kept) >= 0 { // somebody asked meanwhile
		return kept, nil
	}
	begun := k.Clock()
	fresh, err := k.Source.Observe(ctx)
	if err != nil {
		if kept == nil || ctx.Err() != nil {
			return nil, err
		}
		age := k.age(kept)
		if age < 0 || age > k.Stale {
			return nil, err
		}
		kept.Gaps = append(kept.Gaps, schedmate.Gap{What: fmt.Sprintf("what happened in the last %s", age.Round(time.Second)), Why: err.Error()})
		return kept, nil
	}
	if err := k.write(fresh, begun); err != nil {
		fresh.Gaps = append(fresh.Gaps, schedmate.Gap{What: "a memory of this answer", Why: err.Error(), Next: "set SCHEDMATE_STATE to a folder that can be written"})
	}
	return fresh, nil
}

// recall returns the last answer, nil if there is none, when it was asked for, and
// whether it still serves.
func (k *Kept) recall() (kept *schedmate.Observation, asked time.Time, young bool) {
	kept, asked, err := k.read()
	if err != nil {
		return nil, asked, false
	}
	age := k.age(kept)
	return kept, asked, age >= 0 && age < k.MaxAge
}

// Patience with another command that asks: how long to wait for it, and how often to
// look. Whoever has waited so long asks as well.
const (
	patience  = 30 * time.Second
	lookAgain = 50 * time.Millisecond
)

// takeTurn waits until no other command asks. A lock ends with its process, however
// that ends. Where a folder takes no locks, everybody asks at once.
func (k *Kept) takeTurn(ctx context.Context) (release func()) {
	if err := os.MkdirAll(filepath.Dir(k.File), 0o700); err != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	turn := flock.New(k.File+".lock", flock.SetPermissions(0o600))
	if locked, err := turn.TryLockContext(ctx, lookAgain); err != nil || !locked {
		return func() {}
	}
	return func() { turn.Close() } // nothing was written to it
}

// age is how long ago an answer was given; less than 0 where the clock was set back.
func (k *Kept) age(o *schedmate.Observation) time.Duration {
	return k.Clock().Sub(time.Unix(int64(o.Now), 0))
}

// maxKept bounds the file, bytes: 100,000 jobs take about 80 MB.
const maxKept = 256 << 20

// read returns the last answer, and when it was asked for: the file has that time. One that cannot be read, or is of another form of the
// document, is as good as none: it is replaced by the next.
func (k *Kept) read() (kept *schedmate.Observation, asked time.Time, err error) {
	info, err := os.Lstat(k.File)
	if err != nil {
		return nil, asked, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKept || info.Mode().Perm()&0o022 != 0 || !isOurs(info) { // others may have written it
		return nil, asked, fmt.Errorf("read %s: is no file that only you may write", k.File)
	}
	data, err := os.ReadFile(k.File)
	if err != nil {
		return nil, asked, err
	}
	o := &schedmate.Observation{}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, asked, fmt.Errorf("read %s: %w", k.File, err)
	}
	if err := o.Validate(); err != nil {
		return nil, asked, err
	}
	return o, info.ModTime(), nil
}

// leftFor is how old a half-written answer must be to be one whose writer was killed.
const leftFor = 10 * time.Minute

// sweep removes answers that were not written to their end. What cannot be removed is
// no reason to give no answer.
func (k *Kept) sweep() {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(k.File), newAnswers))
	if err != nil {
		return
	}
	for _, file := range left {
		if info, err := os.Lstat(file); err == nil && time.Since(info.ModTime()) > leftFor {
			_ = os.Remove(file)
		}
	}
}

// newAnswers are the names of answers while they are written.
const newAnswers = ".kept-*"

// write replaces the file in one step: another command may be reading it.
func (k *Kept) write(o *schedmate.Observation, asked time.Time) (err error) {
	if err := os.MkdirAll(filepath.Dir(k.File), 0o700); err != nil {
		return err
	}
	k.sweep()
	out, err := os.CreateTemp(filepath.Dir(k.File), newAnswers) // with rights for the user alone
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(out.Name()); e != nil && !errors.Is(e, fs.ErrNotExist) && err == nil {
			err = e
		}
	}()
	err = json.NewEncoder(out).Encode(o)
	if err = errors.Join(err, out.Close(), os.Chtimes(out.Name(), asked, asked)); err != nil {
		return fmt.Errorf("write %s: %w", k.File, err)
	}
	return os.Rename(out.Name(), k.File)
}
