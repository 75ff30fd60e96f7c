package resolve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedmate/advisor/launch"
	"schedmate/advisor/resolve"
	"schedmate/advisor/source"
	"schedmate/advisor/workload"
)

// When the time of a job is used up, the rules end too, and each field that
// they did not reach says so.
func TestRulesEndWithTheTime(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "train.py"), []byte("import torchvision\nmodel = torchvision.models.resnet50()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := source.Open(folder, source.DefaultLimits, time.Time{}) // reading has time: the rules have none
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	r, err := resolve.Submission(root, launch.Request{Argv: []string{"python", "train.py"}, Workdir: ".", Kind: "local"}, resolve.Budget{Deadline: time.Now().Add(-time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Metadata.Values); n != 0 {
		t.Errorf("%d fields are answered without time", n)
	}
	for _, f := range workload.Fields() {
		if why := r.Metadata.Unknown[f]; !strings.Contains(why, "time for this job was used up") {
			t.Errorf("%s: %q does not say why", f, why)
		}
	}
}
