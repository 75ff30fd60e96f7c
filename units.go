package schedmate

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// Seconds is a duration, or an instant counted from the epoch of its source.
type Seconds int64

// MaxSeconds bounds every time in a document: 200 years. It is far above any
// real cluster's and far below where sums of times overflow.
const MaxSeconds Seconds = 200 * 366 * 86400

// Forever is an instant no document can name; it stands for "never".
const Forever Seconds = math.MaxInt64

// Share is a part of one GPU in thousandths.
type Share int32

// WholeGPU is the share of a job that has a GPU to itself.
const WholeGPU Share = 1000

// MaxGangGPUs bounds the size of one job and of one node. It keeps a corrupt
// number from becoming a huge allocation.
const MaxGangGPUs = 1 << 20

// FieldError says which field of a document breaks its invariant.
type FieldError struct {
	Path    string // for example "waiting[3].job.gpus"
	Problem string // for example "must be at least 1, got -4"
}

func (e *FieldError) Error() string { return e.Path + ": " + e.Problem }

func fieldErr(path, format string, args ...any) error {
	return &FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
}

// checkTime returns an error unless lo <= t <= MaxSeconds. Like all checks that
// run for every job, it puts the path together only when it is needed: that
// allocates, and nearly all of a million jobs are valid.
func checkTime(path, field string, t, lo Seconds) error {
	if t < lo || t > MaxSeconds {
		return fieldErr(path+field, "must lie in [%d, %d] seconds, got %d", lo, MaxSeconds, t)
	}
	return nil
}

// checkText returns an error unless the text is UTF-8.
func checkText(path, field, text string) error {
	if !utf8.ValidString(text) {
		return fieldErr(path+field, "must be UTF-8, got %q", text)
	}
	return nil
}

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
