package launch_test

import (
	"strings"
	"testing"
	"time"

	"schedmate/advisor/launch"
)

// Hostile submissions: each one has to come back soon, without a panic, with
// bounded answers.
func TestHostileSubmissionsComeBack(t *testing.T) {
	manifest := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'k'; c++ {
		manifest += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ",") + "]\n"
	}
	cases := map[string]launch.Request{
		"a script that sources itself":       {Command: "bash self.sh"},
		"a script that starts itself":        {Command: "bash again.sh"},
		"a script that starts itself twice":  {Command: "bash twice.sh"},
		"an endless loop":                    {Command: "while true; do python train.py; done"},
		"an endless loop that counts":        {Command: "i=0; while true; do i=$((i+1)); done; python train.py"},
		"a function that calls itself":       {Command: "f() { f; }; f; python train.py"},
		"a function that calls itself twice": {Command: "f() { f | f; }; f; python train.py"},
		"braces without end":                 {Command: "python train.py " + strings.Repeat("{1..9}", 30)},
		"braces within braces":               {Command: "python train.py " + strings.Repeat("{a,", 150) + "b" + strings.Repeat("}", 150)},
		"a long sequence":                    {Command: "for i in {1..99999999}; do python train.py; done"},
		"a long counted loop":                {Command: "for ((i=0;i<1000000000;i++)); do x=$x$x; done; python train.py"},
		"a variable that doubles":            {Command: "x=aaaaaaaaaaaaaaaaaaaa;" + strings.Repeat("x=$x$x;", 200) + "python train.py $x"},
		"words that double":                  {Command: "x='a b';" + strings.Repeat(`x="$x $x";`, 60) + "python train.py $x"},
		"arguments that double":              {Command: "set -- a b;" + strings.Repeat(`set -- "$@" "$@";`, 60) + `python train.py "$@"`},
		"an array that doubles":              {Command: "a=(x y);" + strings.Repeat(`a+=("${a[@]}");`, 60) + `python train.py "${a[@]}"`},
		"great powers":                       {Command: "python train.py $((9**9**9**9**9)) $((1<<99999)) $((1/0)) $((-9223372036854775807-1)) $((5%0))"},
		"an expression that names itself":    {Command: "a=a+1; b='b'; python train.py $((a)) $((b))"},
		"a deep expression":                  {Command: "python train.py $((" + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000) + "))"},
		"a long sum":                         {Command: "python train.py $((1" + strings.Repeat("+1", 200_000) + "))"},
		"many minus signs":                   {Command: "python train.py $((" + strings.Repeat("- ", 300_000) + "1))"},
		"many bangs":                         {Command: strings.Repeat("! ", 300_000) + "python train.py"},
		"many tests":                         {Command: "[[ " + strings.Repeat("! ", 300_000) + "a ]] && python train.py"},
		"many nested ifs":                    {Command: strings.Repeat("if a; then ", 100_000)},
		"many substitutions":                 {Command: strings.Repeat("$(", 100_000)},
		"many backquotes":                    {Command: "echo " + strings.Repeat("`", 100_001)},
		"many conditions":                    {Command: strings.Repeat("if [ -d $HOME/x ]; then a=1; else a=2; fi;", 5000) + "python train.py"},
		"a very long list":                   {Command: strings.Repeat("a && ", 100_000) + "python train.py"},
		"a very long pipe":                   {Command: strings.Repeat("cat | ", 100_000) + "python train.py"},
		"eval of eval":                       {Command: `x='eval "$x"'; eval "$x"`},
		"bash in bash":                       {Command: `export x='bash -c "$x"'; bash -c "$x"`},
		"a line of 50 MB":                    {Command: strings.Repeat("x", 50<<20)},
		"a script of 50 MB":                  {Sbatch: "#!/bin/bash\n" + strings.Repeat("#SBATCH --time=1\n", 3<<20)},
		"NUL bytes":                          {Command: "python\x00 train.py \x00\x00", Sbatch: "#SBATCH --gres=gpu:\x00\n\x00"},
		"broken text":                        {Command: "if then fi (( \xff\xfe", Argv: []string{"\xff"}},
		"a makefile of rings":                {Command: "make a"},
		"aliases without end":                {Manifest: []byte(manifest)},
		"a deep manifest":                    {Manifest: []byte(strings.Repeat("[", 100_000))},
		"a manifest with many pods":          {Manifest: []byte(`{"replicas": 99999, "x": {"replicas": 99999, "containers": [{"resources": {"limits": {"nvidia.com/gpu": 999999999}}}]}}`)},
		"a path out of the repository":       {Command: "cat ../../../../etc/passwd; source /etc/profile; . ../../x; bash /etc/rc; python ../../../x.py", Workdir: "../.."},
	}
	root := repository(t, map[string]string{
		"self.sh": "source self.sh\npython train.py", "again.sh": "bash again.sh; python train.py", "twice.sh": "./twice.sh | ./twice.sh",
		"Makefile": "a: b\n\t$(X)\nb: a\n\tmake a\nX = $(Y)$(Y)\nY = $(X)$(X)\n", "train.py": "",
	})
	for name, req := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			l, err := launch.Resolve(root, req)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			switch {
			case err != nil && !strings.Contains(err.Error(), "; "):
				t.Errorf("the error has no next step: %v", err)
			case err == nil && len(l.Invocations) > 500:
				t.Errorf("%d invocations", len(l.Invocations))
			case err == nil:
				l.Main()
			}
			t.Logf("%v, err %v", time.Since(start).Round(time.Millisecond), err)
		})
	}
}

func TestAnAliasBombIsRefusedInWords(t *testing.T) {
	text := "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d]\n"
	_, err := launch.Resolve(repository(t, nil), launch.Request{Manifest: []byte(text)})
	if err == nil || !strings.Contains(err.Error(), "without nested aliases") {
		t.Errorf("want a refusal that says what to do, got %v", err)
	}
}

func TestAnEmptyRequestIsRefused(t *testing.T) {
	if _, err := launch.Resolve(repository(t, nil), launch.Request{}); err == nil {
		t.Error("want an error")
	}
}

func FuzzShell(f *testing.F) {
	for _, seed := range []string{"python train.py --lr $LR", "for i in 1 2; do torchrun --nproc_per_node=$i a.py; done", "while getopts ab: o; do case $o in a) x=1;; esac; done",
		"cat > f.yaml <<EOF\na: $((1+2))\nEOF\naccelerate launch --config_file f.yaml x.py", "x=(a b c); echo ${x[@]:1} ${#x[@]} ${x[0]%a} ${x/a/b}", "srun -N2 -n 4 bash -c 'python x.py'"} {
		f.Add(seed, "#SBATCH -N 2 --gres=gpu:a100:4\nsrun python x.py")
	}
	root := repository(f, map[string]string{"train.py": "", "a.sh": "python train.py $@"})
	f.Fuzz(func(t *testing.T, command, sbatch string) {
		if l, err := launch.Resolve(root, launch.Request{Command: command, Sbatch: sbatch}); err == nil {
			l.Main()
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte("kind: Job\nspec: {parallelism: 2, template: {spec: {containers: [{command: [python, a.py], resources: {limits: {nvidia.com/gpu: 2}}}]}}}"))
	root := repository(f, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := launch.Resolve(root, launch.Request{Manifest: data}); err == nil {
			l.Main()
		}
	})
}

func FuzzSubmission(f *testing.F) {
	f.Add([]byte(`{"command": "python a.py", "env": {"A": 1}, "launch": {"kind": "slurm", "overrides": "-N 2", "manifest": {"kind": "Job"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := launch.ParseSubmission(data); err == nil {
			s.Request()
		}
	})
}
