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
	if kept := k.serving(came); kept != nil {
		return kept, nil
	}
	release := k.takeTurn(ctx)
	defer release()
	if kept := k.serving(came); kept != nil { // somebody asked meanwhile
		return kept, nil
	}
	begun := k.Clock()
	fresh, err := k.Source.Observe(ctx)
	if err != nil {
		return k.standIn(ctx, err)
	}
	if err := k.write(fresh, begun); err != nil {
		fresh.Gaps = append(fresh.Gaps, schedmate.Gap{What: "a memory of this answer", Why: err.Error(), Next: "set SCHEDMATE_STATE to a folder that can be written"})
	}
	return fresh, nil
}

// serving returns the last answer if it is young enough, or was asked for after a
// command came; nil if there is none.
func (k *Kept) serving(came time.Time) *schedmate.Observation {
	asked, err := k.asked()
	if err != nil || !k.serves(asked, asked, came) {
		return nil
	}
	kept, err := k.read()
	if err != nil || !k.serves(time.Unix(int64(kept.Now), 0), asked, came) {
		return nil
	}
	return kept
}

// serves tells whether an answer of an instant is young enough, or was asked for after
// a command came. One of tomorrow, where the clock was set back, never does.
func (k *Kept) serves(of, asked, came time.Time) bool {
	age := k.Clock().Sub(of)
	return age >= 0 && (age < k.MaxAge || asked.After(came))
}

// standIn returns the last answer instead of one that failed, marked as such, or why
// there is none.
func (k *Kept) standIn(ctx context.Context, failed error) (*schedmate.Observation, error) {
	kept, err := k.read()
	if err != nil || ctx.Err() != nil {
		return nil, failed
	}
	age := k.Clock().Sub(time.Unix(int64(kept.Now), 0))
	if age < 0 || age > k.Stale { // less than 0: the clock was set back
		return nil, failed
	}
	kept.Gaps = append(kept.Gaps, schedmate.Gap{What: fmt.Sprintf("what happened in the last %s", age.Round(time.Second)), Why: failed.Error()})
	return kept, nil
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

// maxKept bounds the file, bytes: 100,000 jobs take about 80 MB.
const maxKept = 256 << 20

// asked is when the last answer was asked for: the file has that time. A file that
// others may have written is none.
func (k *Kept) asked() (time.Time, error) {
	info, err := os.Lstat(k.File)
	if err != nil {
		return time.Time{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKept || info.Mode().Perm()&0o022 != 0 || !isOurs(info) {
		return time.Time{}, fmt.Errorf("read %s: is no file that only you may write", k.File)
	}
	return info.ModTime(), nil
}

// read returns the last answer. One that cannot be read, or is of another form of the
// document, is as good as none: it is replaced by the next.
func (k *Kept) read() (*schedmate.Observation, error) {
	if _, err := k.asked(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(k.File)
	if err != nil {
		return nil, err
	}
	o := &schedmate.Observation{}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("read %s: %w", k.File, err)
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return o, nil
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
