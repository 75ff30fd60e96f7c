package launch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedmate/advisor/launch"
	"schedmate/advisor/source"
)

// repository is a folder with these files, open for reading.
func repository(t testing.TB, files map[string]string) *source.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := source.Open(dir, source.DefaultLimits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// ran is what a test expects of the program that trains.
type ran struct {
	name, args            string
	nodes, per, processes int
}

// show puts a launch's main program in the form of the tables: unknown words
// have a question mark in front, unknown counts are -1.
func show(l *launch.Launch) ran {
	main := l.Main()
	if main == nil {
		return ran{}
	}
	var words []string
	for _, w := range main.Args {
		if w.Known {
			words = append(words, w.Text)
		} else {
			words = append(words, "?"+w.Text)
		}
	}
	n := func(c launch.Count) int {
		if !c.Known {
			return -1
		}
		return c.N
	}
	return ran{main.Name, strings.Join(words, " "), n(main.Nodes), n(main.PerNode), n(main.Processes)}
}

func resolve(t *testing.T, root *source.Root, req launch.Request) *launch.Launch {
	t.Helper()
	l, err := launch.Resolve(root, req)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLaunchersStartTheirProgram(t *testing.T) {
	root := repository(t, map[string]string{
		"train.py": "", "tools/train.py": "", "multiproc.py": "", "pkg/__main__.py": "",
		"ds.yaml":   "compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\ndeepspeed_config:\n  zero_stage: 3\n",
		"hosts":     "a slots=4\nb slots=4 # the second\n",
		"four.yaml": "num_processes: 4\n",
	})
	eight := "#SBATCH --nodes=2 --gres=gpu:a100:8 --ntasks-per-node=4\n"
	for command, want := range map[string]ran{
		"python -u -W ignore -O train.py --lr 1":                                                                      {"train.py", "--lr 1", 1, 1, 1},
		"python -m pkg.train --lr 1":                                                                                  {"pkg.train", "--lr 1", 1, 1, 1},
		"python pkg a":                                                                                                {"pkg/__main__.py", "a", 1, 1, 1},
		"torchrun --standalone --nproc-per-node 4 train.py --lr 1":                                                    {"train.py", "--lr 1", 1, 4, 4},
		"torchrun --nnodes 1:4 --nproc_per_node=gpu train.py":                                                         {"train.py", "", 2, 8, 16},
		"torchrun --nnodes=$SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE -m a":                                   {"a", "", 2, 8, 16},
		"python -m torch.distributed.launch --nproc_per_node=3 --use_env train.py":                                    {"train.py", "", 1, 3, 3},
		"CUDA_VISIBLE_DEVICES=0,3 torchrun --nproc_per_node=auto train.py":                                            {"train.py", "", 1, 2, 2},
		"accelerate launch train.py a":                                                                                {"train.py", "a", 1, 8, 8},
		"accelerate launch --config_file ds.yaml -m pkg.train a":                                                      {"pkg.train", "a", 2, 8, 16},
		"accelerate launch --config_file four.yaml --num_processes 2 train.py":                                        {"train.py", "", 1, 2, 2},
		"accelerate launch --multi_gpu --num_machines=2 --num_processes 8 train.py":                                   {"train.py", "", 2, 4, 8},
		"deepspeed train.py --deepspeed ds.json":                                                                      {"train.py", "--deepspeed ds.json", 1, 8, 8},
		"deepspeed --num_gpus=2 --num_nodes 3 train.py":                                                               {"train.py", "", 3, 2, 6},
		"deepspeed --include localhost:1,2,5 --module pkg.train":                                                      {"pkg.train", "", 1, 3, 3},
		"deepspeed --hostfile hosts train.py":                                                                         {"train.py", "", 2, 4, 8},
		"srun python train.py":                                                                                        {"train.py", "", 2, 4, 8},
		"srun -N1 -n 2 --gpus-per-task=1 python train.py":                                                             {"train.py", "", 1, 2, 2},
		"srun --ntasks-per-node=1 bash -c \"torchrun --nnodes 2 --nproc_per_node 8 train.py --rank \\$SLURM_NODEID\"": {"train.py", "--rank 0", 2, 8, 16},
		"mpirun -np 16 -H a:8,b:8 -x LR=1 --mca btl tcp,self --allow-run-as-root python train.py":                     {"train.py", "", 2, 8, 16},
		"horovodrun -np 4 -H localhost:4 python train.py":                                                             {"train.py", "", 1, 4, 4},
		"composer -n 4 train.py a.yaml":                                                                               {"train.py", "a.yaml", 1, 4, 4},
		"torchx run -s local_cwd dist.ddp -j 2x8 --script train.py -- --lr 1":                                         {"train.py", "--lr 1", 2, 8, 16},
		"colossalai run --nproc_per_node 4 train.py --plugin gemini":                                                  {"train.py", "--plugin gemini", 1, 4, 4},
		"lightning run model --devices=2 --num-nodes=2 train.py":                                                      {"train.py", "", 2, 2, 4},
		"ray job submit --address http://a:8265 -- python train.py --x":                                               {"train.py", "--x", 1, 1, 1},
		"python multiproc.py --nproc_per_node 8 ./train.py --lr 1":                                                    {"train.py", "--lr 1", 1, 8, 8},
		"nohup env A=b timeout 3h numactl --cpunodebind=0 python train.py &":                                          {"train.py", "", 1, 1, 1},
		"docker run --gpus all -v $PWD:/w -e A=b image:tag python /w/tools/train.py x":                                {"tools/train.py", "x", 1, 1, 1},
		"singularity exec --nv img.sif bash -c 'cd tools && python train.py'":                                         {"tools/train.py", "", 1, 1, 1},
		"conda run -n env --no-capture-output python train.py":                                                        {"train.py", "", 1, 1, 1},
		"uv run --extra gpu torchrun --nproc_per_node 2 train.py":                                                     {"train.py", "", 1, 2, 2},
		"$(which torchrun) --nproc_per_node 2 train.py":                                                               {"train.py", "", 1, 2, 2},
		"python $(which torchrun) --nproc_per_node 2 train.py":                                                        {"train.py", "", 1, 2, 2},
		"OUT=$(mpirun -np 2 python train.py a)":                                                                       {"train.py", "a", 2, 1, 2},
		"uv run train.py":                                                                                             {"train.py", "", 1, 1, 1},
		"poetry run litgpt pretrain a.yaml":                                                                           {"litgpt", "pretrain a.yaml", 1, 1, 1},
		"pip install -e . && python train.py":                                                                         {"train.py", "", 1, 1, 1},
		"exec python train.py; python no.py":                                                                          {"train.py", "", 1, 1, 1},
	} {
		t.Run(command, func(t *testing.T) {
			got := show(resolve(t, root, launch.Request{Command: command, Sbatch: eight, Kind: "slurm"}))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(ran{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShellIsFollowed(t *testing.T) {
	root := repository(t, map[string]string{
		"train.py":       "",
		"lib/vars.sh":    "LR=${LR:-0.1}\nopts=(--wd 0.5)\nopts+=(--amp)\n",
		"bin/run.sh":     "#!/bin/bash\nHERE=$(cd \"$(dirname \"$0\")\" && pwd)\nsource \"$HERE/../lib/vars.sh\"\nN=$1; shift\npython \"$HERE/../train.py\" --lr $LR \"${opts[@]}\" --n $((N*2)) \"$@\"\n",
		"getopts.sh":     "while getopts 'b:e:x' o; do case $o in b) B=$OPTARG;; e) E=$OPTARG;; x) X=--x;; esac; done\nshift $((OPTIND-1))\npython train.py -b $B -e $E $X $@\n",
		"long.sh":        "while [[ $# -gt 0 ]]; do case $1 in --lr) LR=$2; shift 2;; --lr=*) LR=${1#*=}; shift;; *) R+=(\"$1\"); shift;; esac; done\npython train.py --lr $LR ${R[@]}\n",
		"Makefile":       "LR ?= 0.1\nARGS = --lr $(LR)\n.PHONY: train\nsetup:\n\tpip install .\ntrain: setup\n\t@python train.py $(ARGS) \\\n\t  --x\n",
		"heredoc.sh":     "cat > conf.yaml <<EOF\nnum_processes: $((2*3))\nEOF\naccelerate launch --config_file conf.yaml train.py\n",
		"echoes.sh":      "args() { echo \"--lr $1\"; }\ntrap 'x' EXIT\npython train.py $(args 5)\n",
		"legacy.sh":      "gpus=`nvidia-smi -L | wc -l`\nbs=`expr 64 \\* 2`\npython train.py --gpus $gpus --bs $bs\n",
		"devices.sh":     "IFS=',' read -ra D <<< \"$CUDA_VISIBLE_DEVICES\"\npython train.py ${#D[@]} $(echo $CUDA_VISIBLE_DEVICES | tr ',' '\\n' | wc -l) $(echo $CUDA_VISIBLE_DEVICES | awk -F, '{print NF}')\n",
		"assoc.sh":       "declare -A LR=([small]=1e-3 [big]=1e-4)\nfor k in small; do python train.py --lr ${LR[$k]} ${LR[big]}; done\n",
		"printf.sh":      "printf -v name 'run_%s_%d' $1 $2\ncmd=\"python train.py --name $name\"\neval \"$cmd\"\n",
		"unknown.sh":     "if [ -d /data/x ]; then D=a; else D=b; fi\npython train.py --lr 1 --data $D --x $(date +%s)\n",
		"functions.sh":   "train() { local lr=$1; shift; python train.py --lr $lr \"$@\"; }\ntrain 0.5 --a b\n",
		"elif.sh":        "case \"$1\" in vit*) M=v;; res[0-9]*|cnn) M=r;; *) M=o;; esac\nif [[ $M == v && -n $2 ]]; then X=1; elif [ \"$M\" = r -a 2 -gt 1 ]; then X=2; else X=3; fi\npython train.py $M $X\n",
		"default.sh":     ": ${EPOCHS:=90}\n: \"${BATCH:=$((32*4))}\"\npython train.py -e $EPOCHS -b $BATCH ${DEBUG:+--debug} ${3:-none}\n",
		"brace.sh":       "python train.py {a,b}{1..2} 'q{1,2}' \"$@\"\n",
		"strings.sh":     "f=conf/exp/vit-b.yaml; b=${f##*/}; n=${b%.yaml}; python train.py $n ${n/-/_} ${n^^} ${n:0:3} ${#n}\n",
		"sub/nested.sh":  "bash ../getopts.sh -b 2 -e 3\n",
		"background.sh":  "python train.py a > log 2>&1 &\nwait\n",
		"kaldi.sh":       "if command -v nvidia-smi &> /dev/null; then n=$(nvidia-smi -L | wc -l); l=$(seq -s, 0 $((n-1))); else n=-1; l=-1; fi\nepochs=9\nbatch_size=2\n. lib/options.sh || exit 1\npython train.py -e $epochs -b $batch_size --gpus $l -n $(echo $l | awk -F, '{print NF}')\n",
		"lib/options.sh": "while true; do [ -z \"${1:-}\" ] && break; case \"$1\" in --*) name=`echo \"$1\" | sed s/^--// | sed s/-/_/g`; eval '[ -z \"${'$name'+xxx}\" ]' && exit 1; old=\"`eval echo \\\\$$name`\"; eval $name=\\\"$2\\\"; shift 2;; *) break;; esac; done\n",
		"sed.sh":         "n=$(echo vit-b_16.yaml | sed -E 's/(vit)-b/\\1-large/; s/\\.yaml$//')\npython train.py $n $(echo a+b+c | sed 's/+/ /g') $(echo x | sed -n 1p)\n",
		"shebang/script": "#!/usr/bin/env python\n",
	})
	env := map[string]string{"CUDA_VISIBLE_DEVICES": "0,1,2"}
	for command, want := range map[string]string{
		"bash bin/run.sh 4 --x 'a b'":               "train.py --lr 0.1 --wd 0.5 --amp --n 8 --x a b",
		"LR=3 ./bin/run.sh 4":                       "train.py --lr 3 --wd 0.5 --amp --n 8",
		"cd bin; sh run.sh 1":                       "train.py --lr 0.1 --wd 0.5 --amp --n 2",
		"bash getopts.sh -b 5 -xe 7 rest":           "train.py -b 5 -e 7 --x rest",
		"bash long.sh --a --lr=2 b":                 "train.py --lr 2 --a b",
		"bash long.sh --lr 3":                       "train.py --lr 3",
		"make train LR=7":                           "train.py --lr 7 --x",
		"make train":                                "train.py --lr 0.1 --x",
		"bash heredoc.sh":                           "train.py ",
		"bash echoes.sh":                            "train.py --lr 5",
		"bash legacy.sh":                            "train.py --gpus 3 --bs 128",
		"bash devices.sh":                           "train.py 3 3 3",
		"bash assoc.sh":                             "train.py --lr 1e-3 1e-4",
		"bash printf.sh a 3":                        "train.py --name run_a_3",
		"bash unknown.sh":                           "train.py --lr 1 --data ?$D --x ?$(date)",
		"bash functions.sh":                         "train.py --lr 0.5 --a b",
		"bash elif.sh vit x":                        "train.py v 1",
		"bash elif.sh res50":                        "train.py r 2",
		"bash elif.sh other":                        "train.py o 3",
		"EPOCHS=3 bash default.sh":                  "train.py -e 3 -b 128 none",
		"bash brace.sh x":                           "train.py a1 a2 b1 b2 q{1,2} x",
		"bash strings.sh":                           "train.py vit-b vit_b VIT-B vit 5",
		"bash sub/nested.sh":                        "train.py -b 2 -e 3",
		"cd sub && bash nested.sh":                  "train.py -b 2 -e 3",
		"bash background.sh":                        "train.py a",
		"bash kaldi.sh --batch-size 4":              "train.py -e 9 -b 4 --gpus 0,1,2 -n 3",
		"bash sed.sh":                               "train.py vit-large_16 a b c ?$(sed)",
		"./shebang/script x":                        "shebang/script x",
		"set -e; set -- 1 2; python train.py $2 $#": "train.py 2 2",
		"python train.py $HOME/x '$HOME' $EXTRA_ARGS --d $DATA": "train.py ?$HOME/x $HOME --d ?$DATA",
		"false && python no.py || python train.py":              "train.py ",
		"$PYTHON train.py a":                                    "train.py a",
	} {
		t.Run(command, func(t *testing.T) {
			got := show(resolve(t, root, launch.Request{Command: command, Env: env, Kind: "local"}))
			if have := got.name + " " + got.args; have != want {
				t.Errorf("want %q\ngot  %q", want, have)
			}
		})
	}
}
