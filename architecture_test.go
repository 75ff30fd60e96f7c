package schedmate_test

import (
	"os"
	"testing"
)

// The laws below say which package may import which, and why. They hold for
// the whole tree from its first day: a law about a package that does not exist
// yet waits for it.
//
// Packages are named by their folder in the module; "." is the root, and
// "scheduler/..." is that folder with all below it. A law binds production
// code; inTests says that it binds tests as well.

// pureStandard is what the core may use of the standard library: computing,
// encoding, sorting. Neither clock nor randomness, neither files nor network,
// no goroutines, no environment (io by itself is interfaces). Add a package only
// if its results depend on its arguments alone.
var pureStandard = []string{
	"bytes", "cmp", "container/heap", "crypto/sha256", "encoding", "encoding/binary", "encoding/hex", "encoding/json",
	"errors", "fmt", "hash", "hash/fnv", "io", "iter", "maps", "math", "math/big", "math/bits", "slices", "sort", "strconv",
	"strings", "unicode", "unicode/utf8",
}

var (
	semanticSide = []string{"advisor/...", "tracker/...", "failure/..."}
	wiring       = []string{"internal/cli/...", "cmd/..."}
)

// importLaws bind those who import.
var importLaws = []importLaw{
	{law: "1", who: []string{"."}, of: standard, only: pureStandard,
		why: "the vocabulary depends on nothing that differs between two runs"},
	{law: "1", who: []string{"."}, of: ours,
		why: "the root is what everybody imports, so it imports nobody"},
	{law: "1", who: []string{"."}, of: foreign,
		why: "the vocabulary needs the standard library only"},

	{law: "2", who: []string{"scheduler/..."}, of: standard, only: pureStandard,
		why: "a plan is a pure function of snapshot and budget: no clock, no I/O, no goroutines, no randomness"},
	{law: "2", who: []string{"scheduler/..."}, of: ours, only: []string{".", "scheduler/..."},
		why: "facts reach the core only inside a snapshot, solvers only through a port"},
	{law: "2", who: []string{"scheduler/..."}, of: foreign,
		why: "a plan must replay bit for bit, so every line that makes it is ours"},
	{law: "2", who: []string{"scheduler/..."}, of: ours, never: []string{"advisor/...", "tracker/...", "failure/...", "prompts/...", "adapters/..."}, inTests: true,
		why: "the core is tested on facts, not on what makes them"},

	{law: "3", who: []string{"advisor/..."}, of: ours, only: []string{".", "logs/...", "prompts/...", "advisor/..."},
		why: "the semantic side puts out facts and declares the ports it needs"},
	{law: "3", who: []string{"tracker/..."}, of: ours, only: []string{".", "logs/...", "prompts/...", "tracker/..."},
		why: "the semantic side puts out facts and declares the ports it needs"},
	{law: "3", who: []string{"failure/..."}, of: ours, only: []string{".", "logs/...", "prompts/...", "failure/..."},
		why: "the semantic side puts out facts and declares the ports it needs"},
	{law: "3", who: []string{"advisor/..."}, except: []string{"advisor/source"}, of: standard, never: []string{"os", "os/exec", "io/ioutil", "net", "net/http", "plugin"},
		why: "a repository is hostile: one package opens its files, nothing executes them, nothing is sent"},
	{law: "3", who: semanticSide, of: ours, never: []string{"scheduler/..."}, inTests: true,
		why: "whoever reads text does not plan"},
	{law: "3", who: []string{"logs/..."}, of: ours, only: []string{".", "logs/..."},
		why: "logs turns bytes into records for tracker and failure, and knows neither"},
	{law: "3", who: []string{"prompts/..."}, of: ours, only: []string{"prompts/..."},
		why: "prompts are embedded texts without logic"},

	{law: "4", who: []string{"adapters/..."}, except: []string{"adapters/solver/..."}, of: ours, only: []string{".", "internal/redact", "adapters/..."},
		why: "an adapter is a leaf: it speaks the vocabulary and touches the world"},
	{law: "4", who: []string{"adapters/solver/..."}, of: ours, only: []string{".", "internal/redact", "adapters/solver/...", "scheduler/milp"},
		why: "a solver knows the model it solves and nothing else of the core"},
	{law: "4", who: []string{"adapters/..."}, of: ours, never: semanticSide, inTests: true,
		why: "an adapter hands text over and does not read it"},
	{law: "4", who: []string{"adapters/..."}, of: ours, never: []string{"adapters/..."}, sameBranch: true,
		why: "adapters do not know each other"},

	{law: "5", who: []string{"scheduler/verify/..."}, of: ours, only: []string{".", "scheduler/verify/..."},
		why: "the checker shares no code with what it checks"},
}

// guardLaws protect what is imported: only these packages may import it.
var guardLaws = []guardLaw{
	{law: "6", what: []string{"internal/guard/..."}, by: []string{"internal/guard/...", "internal/control/..."},
		why: "only the guard lets an action through, and only the control loop asks it"},
	{law: "6", what: []string{"internal/control/..."}, by: []string{"internal/control/...", "internal/httpapi/...", "internal/cli/...", "cmd/..."},
		why: "only the control loop calls an actuator; nobody but the wiring starts it"},
	{law: "6", what: []string{"golang.org/x/mod/sumdb/..."}, by: []string{"internal/audit/..."},
		why: "only internal/audit writes the log"},

	{law: "7", what: []string{"adapters/..."}, by: append([]string{"adapters/..."}, wiring...),
		why: "only the wiring names concrete adapters, everybody else takes ports"},
	{law: "7", what: []string{"internal/slurmlab/..."}, by: []string{"internal/slurmlab/..."},
		why: "the product never starts or stops a Slurm, its tests do"},

	{law: "8", what: []string{"github.com/tree-sitter/..."}, by: []string{"advisor/pyeval/..."}, inTests: true,
		why: "Python's grammar is known to its interpreter alone"},
	{law: "8", what: []string{"mvdan.cc/sh/..."}, by: []string{"advisor/launch/..."}, inTests: true,
		why: "the shell's grammar is known to whoever reads launches"},
	{law: "8", what: []string{"go.etcd.io/bbolt/..."}, by: []string{"adapters/store/bolt/..."}, inTests: true,
		why: "the embedded store is known to its adapter alone"},
	{law: "8", what: []string{"github.com/tmc/langchaingo/..."}, by: []string{"advisor/agent/..."}, inTests: true,
		why: "the agent library stays where the agent is"},
	{law: "8", what: []string{"k8s.io/..."}, by: []string{"adapters/kube/..."}, inTests: true,
		why: "Kubernetes is known to its adapter alone"},
	{law: "8", what: []string{"github.com/redis/go-redis/..."}, by: []string{"adapters/store/redis/..."}, inTests: true,
		why: "Redis is known to its adapter alone"},
	{law: "8", what: []string{"github.com/sashabaranov/go-openai/..."}, by: []string{"adapters/llm/...", "adapters/embed/..."}, inTests: true,
		why: "model servers are known to their adapters alone"},
	{law: "8", what: []string{"github.com/fsnotify/fsnotify/..."}, by: []string{"logs/follow/...", "internal/config/..."}, inTests: true,
		why: "files are watched in one place, always with polling beside"},
	{law: "8", what: []string{"github.com/ebitengine/purego/..."}, by: []string{"adapters/solver/highs/..."}, inTests: true,
		why: "libraries in C are called in one thin file, and never in the planner's process"},
	{law: "8", what: []string{"github.com/NVIDIA/go-nvml/..."}, by: []string{"adapters/telemetry/nvml/..."}, inTests: true,
		why: "the driver library is known to its adapter alone"},
}

// nameLaws keep certain names of other packages out of some.
var nameLaws = []nameLaw{
	{law: "5", who: []string{"scheduler/verify/..."}, names: []string{"Occupancy", "NewOccupancy", "WithHost"},
		why: "the checker keeps its own books: an error in Occupancy must not hide itself"},
}

// corePackages are held to more than their imports; see coreViolations.
var corePackages = []string{"scheduler/..."}

// vagueNames are package names that say nothing.
var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"}

func TestArchitecture(t *testing.T) {
	violations, err := checkArchitecture(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}
