package resolve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"schedmate/advisor/launch"
	"schedmate/advisor/resolve"
	"schedmate/advisor/source"
	"schedmate/advisor/workload"
)

// A story is an archive of testdata/stories: a tiny repository, the submission
// ("-- submission --", a batch script, or the JSON form when it starts with a
// brace) and the fields that an expert reads off it ("-- want --", lines
// "field: value"; "field:" alone means that nothing may be answered).
func TestStoriesOfSubmissions(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tellStory(t, archive)
		})
	}
}

func tellStory(t *testing.T, archive *txtar.Archive) {
	dir := t.TempDir()
	var submission, want string
	for _, f := range archive.Files {
		switch f.Name {
		case "submission":
			submission = string(f.Data)
		case "want":
			want = string(f.Data)
		default:
			p := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	root, err := source.Open(dir, source.DefaultLimits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	request := launch.RequestOf("job.sh", []byte(submission), nil)
	if strings.HasPrefix(submission, "{") {
		s, err := launch.ParseSubmission([]byte(submission))
		if err != nil {
			t.Fatal(err)
		}
		request = s.Request()
	}
	r, err := resolve.Submission(root, request, resolve.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	wanted, got := map[string]string{}, map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		field, value, _ := strings.Cut(line, ":")
		wanted[field] = strings.TrimSpace(value)
		got[field] = ""
		if field == "warnings" {
			got[field] = strings.Join(r.Metadata.Warnings, " | ")
		}
		if v, ok := r.Metadata.Values[workload.Field(field)]; ok {
			got[field] = fmt.Sprint(v.Value)
		}
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
		for _, n := range r.Observed.Notes {
			t.Log(n)
		}
	}
}
