package schedmate_test

import (
	"errors"
	"strings"
	"testing"

	"schedmate"
)

// row breaks one field of a valid value, or moves it to the edge of what is
// allowed.
type row[T any] struct {
	what   string
	change func(*T)
	err    string // the whole message; empty: still valid
}

// checkRows applies each row to a fresh valid value. An error must be a
// FieldError whose path is what the message begins with.
func checkRows[T any](t *testing.T, valid func() *T, validate func(*T) error, rows []row[T]) {
	t.Helper()
	if err := validate(valid()); err != nil {
		t.Fatalf("the value that the rows start from is not valid: %v", err)
	}
	for _, r := range rows {
		v := valid()
		r.change(v)
		err := validate(v)
		if r.err == "" {
			if err != nil {
				t.Errorf("%s: %v", r.what, err)
			}
			continue
		}
		var field *schedmate.FieldError
		if !errors.As(err, &field) {
			t.Errorf("%s: got %v, want a FieldError", r.what, err)
			continue
		}
		path, problem, _ := strings.Cut(r.err, ": ")
		if field.Path != path || field.Problem != problem || err.Error() != r.err {
			t.Errorf("%s:\n got %v\nwant %s", r.what, err, r.err)
		}
	}
}

// The bounds by hand. They are part of the documents' format.
func TestBounds(t *testing.T) {
	if schedmate.MaxSeconds != 6_324_480_000 { // 200 years of 366 days of 86,400 s
		t.Errorf("MaxSeconds is %d", schedmate.MaxSeconds)
	}
	if schedmate.MaxGangGPUs != 1_048_576 {
		t.Errorf("MaxGangGPUs is %d", schedmate.MaxGangGPUs)
	}
	if schedmate.WholeGPU != 1000 || schedmate.FullReward != 100 {
		t.Errorf("a whole GPU has %d thousandths, the full reward is %d", schedmate.WholeGPU, schedmate.FullReward)
	}
	if schedmate.Forever <= schedmate.MaxSeconds {
		t.Error("a document could name Forever")
	}
}

// anyUnicode holds what tends to be lost on the way: quotes, characters that
// matter to HTML and to JavaScript, a control character, a combining accent,
// text from right to left, a character outside the first plane, and U+FFFD.
const anyUnicode = "<a href=\"x\">&amp;</a> \\ \x01\n\t e\u0301 \u05e9\u05dc\u05d5\u05dd \u2028\u2029 \U0001F680 \uFFFD \\ufffd"
