package launch

import "testing"

// What a request file says of itself decides what it is; its name helps only
// where it says nothing.
func TestRequestFilesAreWhatTheySay(t *testing.T) {
	const pod = "kind: Job\nspec: {template: {spec: {containers: [{name: a, command: [python, t.py]}]}}}\n"
	for _, c := range []struct{ name, text, kind string }{
		{"job.sbatch", "#!/bin/bash\npython t.py\n", "slurm"},
		{"job.yaml", "#!/bin/bash\n#SBATCH -N 2\npython t.py\n", "slurm"},
		{"job.txt", "# our job\n" + pod, "k8s"},
		{"job.yaml", pod, "k8s"},
		{"job.json", `{"kind": "Job"}`, "k8s"},
		{"-", "python t.py\n", "slurm"},
		{"", "", "local"},
	} {
		if got := RequestOf(c.name, []byte(c.text), nil).Kind; got != c.kind {
			t.Errorf("%s with %.20q is taken for %s; want %s", c.name, c.text, got, c.kind)
		}
	}
}

// A request that holds no job is refused before anything is read.
func TestRequestsWithoutAJobAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		good       bool
	}{
		{"a.sbatch", " \n", false},
		{"a.yaml", "", false},
		{"a.yaml", "kind: Job\n  spec: x\n", false},
		{"a.yaml", "learning_rate: 0.1\n", false},
		{"a.yaml", "kind: Job\n", true},
		{"a.sh", "python t.py", true},
	} {
		if err := RequestOf(c.name, []byte(c.text), nil).Check(); (err == nil) != c.good {
			t.Errorf("%s with %q: %v; want good %t", c.name, c.text, err, c.good)
		}
	}
}
