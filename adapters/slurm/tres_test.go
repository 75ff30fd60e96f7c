package slurm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a job asks for is written in several ways, and a demand that was taken back
// leaves a name with nothing behind it.
func TestGenericResources(t *testing.T) {
	option := cmp.AllowUnexported(gres{})
	for text, want := range map[string][]gres{
		"":                        nil,
		"gres:":                   nil,
		"gres/":                   nil,
		"gres:gpu:4":              {{name: "gpu", count: 4}},
		"gres/gpu:a100=2":         {{name: "gpu", kind: "a100", count: 2}},
		"gpu:a100:8(S:0-1),shard": {{name: "gpu", kind: "a100", count: 8}, {name: "shard", count: 1}},
	} {
		got, err := readGRES(text)
		if diff := cmp.Diff(want, got, option); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, bad := range []string{":4", "gpu:1(IDX:x)"} {
		if got, err := readGRES(bad); err == nil {
			t.Errorf("%q must be refused, is %+v", bad, got)
		}
	}
}
