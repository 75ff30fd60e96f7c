package launch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/advisor/launch"
)

// asked is an allocation in the form of the tables; -1 is unknown.
type asked struct {
	nodes, perNode, gpus, tasks, seconds, array int
	kind, name                                  string
}

func asking(l *launch.Launch) asked {
	n := func(c launch.Count) int {
		if !c.Known {
			return -1
		}
		return c.N
	}
	r := l.Requested
	return asked{n(r.Nodes), n(r.GPUsPerNode), n(r.GPUs), n(r.Tasks), n(r.TimeLimit), n(r.ArrayTasks), r.GPUType.Text, r.JobName.Text}
}

func TestSlurmRequestsAreRead(t *testing.T) {
	root := repository(t, map[string]string{
		"train.py": "",
		"job.sh":   "#!/bin/bash\n# a comment\n##SBATCH -N 9\n#SBATCH --gres=gpu:4\n#SBATCH -J \"my job\" # why not\npython train.py $1\n#SBATCH -N 7\n",
	})
	for _, c := range []struct {
		lines     string
		overrides []string
		want      asked
	}{
		{"#SBATCH --gres=gpu:a100:8\n#SBATCH -N 2\n#SBATCH -t 1-12:00:00", nil, asked{2, 8, 16, 2, 129600, -1, "a100", ""}},
		{"#SBATCH -G 6 --nodes=2-4 --time=90 -a 1-10%2", nil, asked{2, 3, 6, 2, 5400, 10, "", ""}},
		{"#SBATCH --gpus=h100:4 -J x -t 10:30", nil, asked{1, 4, 4, 1, 630, -1, "h100", "x"}},
		{"#SBATCH --gpus-per-node=v100:2 -N3 -n12 --time=2:00:00 --array=0-15:4,20", nil, asked{3, 2, 6, 12, 7200, 5, "v100", ""}},
		{"#SBATCH --gpus-per-task=1 --ntasks-per-node=4 --nodes 2 -t 2-3", nil, asked{2, 4, 8, 8, 183600, -1, "", ""}},
		{"#SBATCH --ntasks=8 --ntasks-per-node=4 --gres=gpu", nil, asked{2, 1, 2, 8, -1, -1, "", ""}},
		{"#SBATCH --gres=gpu:4,nvme:1 -N 1", []string{"--nodes=4", "--gres", "gpu:a100:2", "-J", "won", "job.sh"}, asked{4, 2, 8, 4, -1, -1, "a100", "won"}},
		{"#SBATCH --gres=gpu:0", nil, asked{1, 0, 0, 1, -1, -1, "", ""}},
		{"#SBATCH --time=UNLIMITED --exclusive", nil, asked{1, -1, -1, 1, -1, -1, "", ""}},
	} {
		l := resolve(t, root, launch.Request{Kind: "slurm", Sbatch: "#!/bin/bash\n" + c.lines + "\npython train.py\n", Overrides: c.overrides})
		if diff := cmp.Diff(c.want, asking(l), cmp.AllowUnexported(asked{})); diff != "" {
			t.Errorf("%s %v\n%s", c.lines, c.overrides, diff)
		}
	}
	l := resolve(t, root, launch.Request{Command: "sbatch -N 2 --export=ALL,A=b job.sh 5", Kind: "slurm", Script: "job.sh"})
	if diff := cmp.Diff(asked{2, 4, 8, 2, -1, -1, "", "my job"}, asking(l), cmp.AllowUnexported(asked{})); diff != "" {
		t.Error(diff)
	}
	main := l.Main()
	if main.Args[0].Text != "5" || main.Args[0].Origin.String() != "cli:positional $1" || main.Env["A"].Text != "b" || main.NameFrom.String() != "sh:job.sh:6" {
		t.Errorf("got %v from %v, A=%v, name from %v", main.Args, main.Args[0].Origin, main.Env["A"], main.NameFrom)
	}
	if got := l.Requested.GPUsPerNode.Origin.String(); got != "sh:job.sh:4" {
		t.Errorf("GPUs come from %s", got)
	}
}

func TestManifestsAreRead(t *testing.T) {
	root := repository(t, map[string]string{"train.py": ""})
	pod := func(indent, command, gpus string) string {
		return strings.ReplaceAll("spec:\n  nodeSelector: {nvidia.com/gpu.product: A100}\n  containers:\n  - name: sidecar\n    image: x\n  - name: main\n    command: "+command+
			"\n    env: [{name: LR, value: \"0.1\"}, {name: KEY, valueFrom: {secretKeyRef: {name: a}}}]\n    resources: {limits: {nvidia.com/gpu: "+gpus+"}}\n", "\n", "\n"+indent)
	}
	for name, c := range map[string]struct {
		manifest string
		want     asked
		ran      ran
	}{
		"a pod": {"kind: Pod\nmetadata: {name: p}\n" + pod("", `[python, train.py, --lr, $(LR)]`, "2"),
			asked{1, 2, 2, -1, -1, -1, "A100", "p"}, ran{"train.py", "--lr 0.1", 1, 1, 1}},
		"a job of two pods": {"kind: Job\nmetadata: {name: j}\nspec:\n  parallelism: 2\n  activeDeadlineSeconds: 60\n  template:\n    " + pod("    ", `["bash", "-c", "python train.py --lr $LR"]`, "4"),
			asked{2, 4, 8, -1, 60, -1, "A100", "j"}, ran{"train.py", "--lr 0.1", 2, 1, 2}},
		"a PyTorchJob": {"kind: PyTorchJob\nspec:\n  nprocPerNode: \"8\"\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      template:\n        " + pod("        ", "[torchrun, train.py]", "8") +
			"\n    Worker:\n      replicas: 3\n      template:\n        " + pod("        ", "[torchrun, train.py]", "8"),
			asked{4, 8, 32, -1, -1, -1, "A100", ""}, ran{"train.py", "", 4, 8, 32}},
		"an MPIJob": {"kind: MPIJob\nspec:\n  slotsPerWorker: 4\n  mpiReplicaSpecs:\n    Launcher:\n      replicas: 1\n      template:\n        spec:\n          containers: [{name: l, command: [mpirun, -np, \"8\", python, train.py]}]\n    Worker:\n      replicas: 2\n      template:\n        " + pod("        ", "[]", "4"),
			asked{2, 4, 8, -1, -1, -1, "A100", ""}, ran{"train.py", "", 2, 4, 8}},
		"a RayJob": {"kind: RayJob\nspec:\n  entrypoint: python train.py --a\n  rayClusterSpec:\n    headGroupSpec:\n      template:\n        spec: {containers: [{name: h}]}\n    workerGroupSpecs:\n    - replicas: 2\n      template:\n        " + pod("        ", "[]", "4"),
			asked{2, 4, 8, -1, -1, -1, "A100", ""}, ran{"train.py", "--a", 1, 1, 1}},
		"a short form": {`{"kind":"Job","metadata":{"name":"s"},"spec":{"replicas":2,"container":{"command":"python train.py x","env":{"A":"b"},"resources":{"limits":{"nvidia.com/gpu":1}}},"nodeSelector":{"gpu.product":"H100"}}}`,
			asked{2, 1, 2, -1, -1, -1, "H100", "s"}, ran{"train.py", "x", 2, 1, 2}},
		"no GPU": {"kind: Pod\nspec: {containers: [{command: [python, train.py]}]}", asked{1, 0, 0, -1, -1, -1, "", ""}, ran{"train.py", "", 1, 1, 1}},
	} {
		l := resolve(t, root, launch.Request{Manifest: []byte(c.manifest)})
		if diff := cmp.Diff(c.want, asking(l), cmp.AllowUnexported(asked{})); diff != "" {
			t.Errorf("%s: asked\n%s", name, diff)
		}
		if diff := cmp.Diff(c.ran, show(l), cmp.AllowUnexported(ran{})); diff != "" {
			t.Errorf("%s: ran\n%s", name, diff)
		}
	}
}

// What no cluster can give is not known; it is neither nothing nor a number.
func TestNumbersThatCannotBeAreUnknown(t *testing.T) {
	root := repository(t, map[string]string{"train.py": ""})
	for _, gpus := range []string{"-3", "1e308", "1.5", "2000000", "\"\"", "\"{{ gpus }}\""} {
		l := resolve(t, root, launch.Request{Manifest: []byte("kind: Pod\nspec: {containers: [{command: [python, train.py], resources: {limits: {nvidia.com/gpu: " + gpus + "}}}]}")})
		if a := l.Requested; a.GPUs.Known || a.GPUsPerNode.Known || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0].Text, "give a whole number") {
			t.Errorf("%s GPUs: %v, %v a node, warnings %v", gpus, a.GPUs, a.GPUsPerNode, l.Warnings)
		}
	}
	for _, r := range []launch.Request{
		{Command: "srun --nodes=0 python train.py", Kind: "slurm"},
		{Command: "python train.py", Sbatch: "#SBATCH --nodes=0\n", Kind: "slurm"},
	} {
		l := resolve(t, root, r)
		if l.Requested.Nodes.Known || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0].Text, "at least 1") {
			t.Errorf("%s: %v nodes, warnings %v", r.Command, l.Requested.Nodes, l.Warnings)
		}
	}
}

func TestTheScriptIsWhatRunsWhenItHoldsTheCommand(t *testing.T) {
	root := repository(t, map[string]string{"sub/train.py": "", "eval.py": ""})
	body := "#SBATCH --gres=gpu:2 --chdir=sub\nexport A=b\nsrun python train.py --more\n"
	l := resolve(t, root, launch.Request{Command: "python train.py", Workdir: "sub", Sbatch: body, Kind: "slurm"})
	if diff := cmp.Diff(ran{"sub/train.py", "--more", 1, 1, 1}, show(l), cmp.AllowUnexported(ran{})); diff != "" {
		t.Error(diff)
	}
	l = resolve(t, root, launch.Request{Command: "python eval.py x", Sbatch: body, Kind: "slurm"})
	if diff := cmp.Diff(ran{"eval.py", "x", 1, 1, 1}, show(l), cmp.AllowUnexported(ran{})); diff != "" {
		t.Error(diff)
	}
	r := launch.RequestOf("job.sbatch", []byte(body), []string{"python", "train.py", "--lr", "1 2"})
	if got := show(resolve(t, root, r)); got.args != "--more" {
		t.Errorf("got %v", got)
	}
}

func TestUsersAreWarnedWithTheArithmetic(t *testing.T) {
	root := repository(t, map[string]string{"train.py": ""})
	body := "#SBATCH -N 2 --gres=gpu:4\n"
	for command, want := range map[string]string{
		"torchrun --nnodes 2 --nproc_per_node 8 train.py": "this launch will abort: torchrun starts 8 processes on a node that has 4 GPUs; ask for 8 GPUs or start 4 processes",
		"torchrun --nnodes 2 --nproc_per_node 3 train.py": "1 of 4 GPUs stay idle: torchrun starts 3 processes on a node; ask for 3 GPUs or start 4 processes",
		"torchrun --nnodes 4 --nproc_per_node 4 train.py": "this launch will wait for ever: torchrun expects 4 nodes and 2 are asked for; make them equal",
		"torchrun --nproc_per_node 4 train.py":            "1 of 2 nodes stay idle: torchrun uses 1; make them equal",
		"torchrun --nnodes 2 --nproc_per_node 4 train.py": "",
		"srun --ntasks-per-node=4 python train.py":        "",
		"bash missing.sh; srun python train.py":           "script missing.sh is not in the repository; add it, or submit the command that it runs",
	} {
		l := resolve(t, root, launch.Request{Command: command, Sbatch: body, Kind: "slurm"})
		var got []string
		for _, w := range l.Warnings {
			got = append(got, w.Text)
		}
		if have := strings.Join(got, "\n"); have != want {
			t.Errorf("%s\nwant %q\ngot  %q", command, want, have)
		}
	}
}

func TestLoopsCountAndConditionsDoubt(t *testing.T) {
	root := repository(t, map[string]string{"train.py": "", "prep.py": "", "plot.py": ""})
	l := resolve(t, root, launch.Request{Command: `python prep.py
for fold in 1 2 3 4 5; do for seed in $(seq 3); do python train.py --fold $fold --seed $seed; done; done
if [ -f $HOME/flag ]; then python plot.py; fi
wandb sync; python -m http.server`})
	var got []string
	for _, i := range l.Invocations {
		words := i.Name
		if i.Doubt != "" {
			words += " perhaps"
		}
		got = append(got, strings.Repeat("+", i.Repeats)+words)
	}
	want := []string{"+prep.py", strings.Repeat("+", 15) + "train.py", "+plot.py perhaps", "+wandb", "+http.server"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l.Main().Name != "train.py" {
		t.Errorf("main is %s", l.Main().Name)
	}
}

func TestLaunchersTellTheirProgramTheWorld(t *testing.T) {
	root := repository(t, map[string]string{"train.py": ""})
	l := resolve(t, root, launch.Request{Kind: "slurm", Env: map[string]string{"LR": "1"},
		Sbatch: "#SBATCH -N 2 --gres=gpu:4\nexport A=2\nB=3\nsrun --ntasks-per-node=1 torchrun --nnodes=2 --nproc_per_node=4 train.py\n"})
	env := l.Main().Env
	for name, want := range map[string]string{"WORLD_SIZE": "8", "RANK": "0", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "4", "SLURM_NTASKS": "2", "SLURM_PROCID": "0", "LR": "1", "A": "2", "B": ""} {
		if env[name].Text != want {
			t.Errorf("%s is %q, want %q", name, env[name].Text, want)
		}
	}
	if env["LR"].Origin.String() != "env:LR" || env["A"].Origin.String() != "env:A" {
		t.Errorf("origins %v, %v", env["LR"].Origin, env["A"].Origin)
	}
}

func TestASubmissionIsDecoded(t *testing.T) {
	s, err := launch.ParseSubmission([]byte(`{"id":"a","root":"r","workdir":"w","command":"python x.py","env":{"A":1,"B":true},
		"launch":{"kind":"slurm","overrides":"-N 2 --gres=gpu:1","script_path":"x.sh","env":{"A":"0","C":"d"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := launch.Request{Command: "python x.py", Workdir: "w", Kind: "slurm", Script: "x.sh", Overrides: []string{"-N", "2", "--gres=gpu:1"},
		Env: map[string]string{"A": "1", "B": "true", "C": "d"}}
	if diff := cmp.Diff(want, s.Request()); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "{", `{"id":"a"}`, `{"command":"x","env":{"A":{}}}`, `{"command":"x","launch":{"overrides":{}}}`} {
		if _, err := launch.ParseSubmission([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
