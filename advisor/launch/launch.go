// Package launch finds out which Python programs a submission runs, with which
// words and environment, in how many processes, on what it asked for: from the
// launch request (batch script, manifest, plain shell) through wrapper scripts
// and launchers. Nothing is executed: scripts are interpreted without command
// substitution and without any access to files but those of the repository.
package launch

import (
	"schedmate/advisor/origin"
)

// Request is the part of a submission that launch reads.
type Request struct {
	Command   string            // as the user typed it; may hold several commands, variables, quotes
	Argv      []string          // the same, split into words; used when Command is empty
	Env       map[string]string // environment given with the submission
	Workdir   string            // folder inside the repository where the command runs; "." is the root
	Kind      string            // slurm, k8s, local, or empty
	Sbatch    string            // text of the batch script, when there is one
	Script    string            // path of a batch script of the repository itself
	Overrides []string          // words of the sbatch command line; they beat #SBATCH lines
	Manifest  []byte            // a Kubernetes manifest, YAML or JSON
}

// Word is one word or variable whose value may be unknown.
type Word struct {
	Text   string
	Known  bool // false: it depends on something that cannot be followed (a command substitution, a variable of the cluster)
	Origin *origin.Origin
}

// Count is a number that may be unknown.
type Count struct {
	N      int
	Known  bool
	Origin *origin.Origin
}

// Program is how an invocation names its code.
type Program int

const (
	File    Program = iota // a file of the repository: "train.py"
	Module                 // python -m NAME
	Console                // a console script of an installed or local package: "llamafactory-cli"
	Other                  // not Python
)

// Invocation is one program that the submission runs.
type Invocation struct {
	Program  Program
	Name     string // path relative to the repository's root, module or console script
	NameFrom *origin.Origin
	Args     []Word
	Env      map[string]Word // everything the program sees: submission, exports, prefix, and what the launcher sets (RANK, WORLD_SIZE, LOCAL_RANK, SLURM_*)
	Dir      string          // folder in which it runs, relative to the root

	Launchers []Launcher // outermost first: srun, torchrun
	Nodes     Count
	PerNode   Count // processes on a node
	Processes Count // in all
	Devices   Count // devices on a node that CUDA_VISIBLE_DEVICES or the launcher lets it see

	Repeats int      // times that a loop of the script runs it with other words (folds, seeds); 1 for once
	Turns   [][]Word // the words of those times that differ from Args, at most 32
	Doubt   string   // why it may not run at all: an unknown condition; empty when it surely runs
}

// Launcher is one program that starts others, with the settings it passes on.
type Launcher struct {
	Name     string          // torchrun, accelerate, deepspeed, srun, mpirun, horovodrun, composer, torchx, submitit, ray ...
	Settings map[string]Word // its own options by canonical name: mixed_precision, num_processes, num_machines, config_file, deepspeed_config_file, use_fsdp ...
	Origin   *origin.Origin
}

// Allocation is what the submission asked the cluster for.
type Allocation struct {
	Nodes       Count
	GPUsPerNode Count
	GPUs        Count // in all
	GPUType     Word
	CPUsPerTask Count
	Tasks       Count
	TimeLimit   Count // seconds
	JobName     Word
	ArrayTasks  Count // size of a job array
}

// Launch is the answer: what was asked for and what runs.
type Launch struct {
	Requested   Allocation
	Invocations []Invocation
	Warnings    []Warning
	Written     map[string]string // files that the scripts write with known text before they run a program (a heredoc), by path
}

// Warning is something about the submission that its user should know.
type Warning struct {
	Text   string
	Origin *origin.Origin
}
