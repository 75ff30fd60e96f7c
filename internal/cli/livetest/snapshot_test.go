package livetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/internal/slurmlab"
	"schedmate/scheduler/fit"
)

// What was saved reads back as it was; the same questions have the same answers
// there; and what may be shared tells nobody's name.
func testSnapshot(t *testing.T, p *program, scenario *slurmlab.Scenario) {
	saved := snapshotOf(t, p, "--fresh")
	var ids []string
	for _, j := range scenario.In(slurmlab.Waiting) {
		ids = append(ids, j.ID)
	}
	live := ask[answers](t, p, append([]string{"why"}, ids...)...) // of the same observation: it is a moment old
	again := snapshotOf(t, p, "-f", saved)
	if diff := cmp.Diff(read(t, saved), read(t, again)); diff != "" {
		t.Error("saved and saved again:", diff)
	}
	fromFile := ask[answers](t, p, append([]string{"why", "-f", saved}, ids...)...)
	if diff := cmp.Diff(withoutLogs(live), withoutLogs(fromFile)); diff != "" {
		t.Error("live (-) and from the file (+):", diff)
	}

	shared := snapshotOf(t, p, "--redact")
	text := read(t, shared)
	canaries := []string{p.lab.Dir, "/tmp", ".sh", ".out", "daemon", "nobody", "capped", "upgrade", "Not responding"}
	for _, j := range scenario.Jobs {
		name, _, _ := strings.Cut(j.Name, "_")
		canaries = append(canaries, name)
	}
	for _, canary := range canaries {
		if strings.Contains(text, canary) {
			t.Errorf("what is shared has %q", canary)
		}
	}
	fromShared := ask[answers](t, p, append([]string{"why", "-f", shared}, ids...)...)
	for i := range fromShared.Answers {
		if got, want := fromShared.Answers[i], fromFile.Answers[i]; got.Kind != want.Kind || got.Job != want.Job || !cmp.Equal(got.Short, want.Short) {
			t.Errorf("job %s: from what is shared %s %v, else %s %v", want.Job, got.Kind, got.Short, want.Kind, want.Short)
		}
	}

	// What a policy plans with holds as many GPUs as Slurm says are in use.
	for _, file := range []string{saved, shared} {
		planned := snapshotOf(t, p, "--for-planning", "-f", file)
		if s := p.run(t, "plan", "-f", planned, "--policy", "srtf"); s.code != 0 {
			t.Errorf("plan from %s: exit code %d: %s", filepath.Base(file), s.code, s.err)
		}
	}
}

// snapshotOf saves what snapshot says, where every user may read it.
func snapshotOf(t *testing.T, p *program, args ...string) string {
	t.Helper()
	s := p.run(t, append([]string{"snapshot", "-o", "yaml"}, args...)...)
	if s.code != 0 {
		t.Fatalf("snapshot %v: exit code %d: %s", args, s.code, s.err)
	}
	file, err := os.CreateTemp(filepath.Join(p.lab.Dir, "jobs"), "snapshot-*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(s.out)
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withoutLogs leaves out when jobs end: that is better known where their logs are.
func withoutLogs(a answers) []fit.Answer {
	for i := range a.Answers {
		x := &a.Answers[i]
		if len(x.Until.Releases) > 0 {
			x.Until, x.Text = fit.Until{}, firstSentence(x.Text)
		}
		x.Text, _, _ = strings.Cut(x.Text, " The first to end is") // of a limit's jobs
	}
	return a.Answers
}
