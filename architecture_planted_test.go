package schedmate_test

import (
	"strings"
	"testing"
	"testing/fstest"
)

// plant is a small tree that obeys every law, plus what a test adds to it.
func plant(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"go.mod":                            "module schedmate\n",
		"doc.go":                            "// Package schedmate is the vocabulary.\npackage schedmate\n\ntype Snapshot struct{}\n\ntype Occupancy struct{}\n\nfunc NewOccupancy() *Occupancy { return nil }\n",
		"scheduler/policy.go":               "// Package scheduler is the core.\npackage scheduler\n\nimport \"schedmate\"\n\ntype Policy func(schedmate.Snapshot)\n",
		"scheduler/verify/verify.go":        "// Package verify checks plans.\npackage verify\n\nimport _ \"schedmate\"\n",
		"scheduler/policy/fifo/fifo.go":     "// Package fifo is a policy.\npackage fifo\n\nimport _ \"schedmate/scheduler\"\n",
		"scheduler/fifo_test.go":            "package scheduler_test\n\nimport (\n\t_ \"os\"\n\t_ \"pgregory.net/rapid\"\n\t_ \"schedmate/eval\"\n\t_ \"testing\"\n\t_ \"time\"\n)\n",
		"logs/logs.go":                      "// Package logs reads records.\npackage logs\n\nimport _ \"os\"\n",
		"prompts/prompts.go":                "// Package prompts holds texts.\npackage prompts\n",
		"tracker/tracker.go":                "// Package tracker finds progress.\npackage tracker\n\nimport (\n\t_ \"schedmate\"\n\t_ \"schedmate/logs\"\n)\n",
		"advisor/advisor.go":                "// Package advisor estimates.\npackage advisor\n\nimport (\n\t_ \"schedmate\"\n\t_ \"schedmate/prompts\"\n)\n",
		"advisor/agent/agent.go":            "// Package agent asks a model.\npackage agent\n\nimport _ \"github.com/tmc/langchaingo/agents\"\n",
		"adapters/kube/kube.go":             "// Package kube speaks to Kubernetes.\npackage kube\n\nimport (\n\t_ \"k8s.io/client-go/dynamic\"\n\t_ \"schedmate\"\n\t_ \"schedmate/internal/redact\"\n)\n",
		"adapters/store/store.go":           "// Package store holds what the stores share.\npackage store\n",
		"adapters/store/redis/redis.go":     "// Package redis keeps history.\npackage redis\n\nimport (\n\t_ \"github.com/redis/go-redis/v9\"\n\t_ \"schedmate/adapters/store\"\n)\n",
		"adapters/solver/highs/highs.go":    "// Package highs solves.\npackage highs\n\nimport _ \"schedmate/scheduler/milp\"\n",
		"internal/redact/redact.go":         "// Package redact hides secrets.\npackage redact\n",
		"internal/guard/guard.go":           "// Package guard lets actions through.\npackage guard\n",
		"internal/audit/audit.go":           "// Package audit writes the log.\npackage audit\n\nimport _ \"golang.org/x/mod/sumdb/tlog\"\n",
		"internal/control/control.go":       "// Package control is the loop.\npackage control\n\nimport (\n\t_ \"schedmate/internal/audit\"\n\t_ \"schedmate/internal/guard\"\n)\n",
		"internal/cli/cli.go":               "// Package cli wires.\npackage cli\n\nimport (\n\t_ \"schedmate/adapters/kube\"\n\t_ \"schedmate/internal/control\"\n)\n",
		"cmd/schedmate/main.go":             "// Command schedmate plans.\npackage main\n\nimport _ \"schedmate/internal/cli\"\n",
		"eval/eval.go":                      "// Package eval measures.\npackage eval\n\nimport (\n\t_ \"os\"\n\t_ \"schedmate/scheduler\"\n)\n",
		"eval/experiments/marble-week.yaml": "trace: marble\n",
		"eval/testdata/broken.go":           "this is no Go\n",
		"tools/other/go.mod":                "module other\n",
		"tools/other/other.go":              "package other\n\nimport _ \"schedmate/adapters/kube\"\n",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

func TestLawfulTreePasses(t *testing.T) {
	violations, err := checkArchitecture(plant(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// Every law is broken at least once; each breach is reported, and only it.
func TestPlantedViolationsAreFound(t *testing.T) {
	imports := func(pkg, path string) string {
		return "// Package " + pkg + " is planted.\npackage " + pkg + "\n\nimport _ \"" + path + "\"\n"
	}
	core := func(body string) string {
		return "// Package lease is planted.\npackage lease\n\n" + body
	}
	for _, c := range []struct {
		name, file, text string
		want             string // the beginning of the one report
	}{
		{"the root reads the clock", "clock.go", imports("schedmate", "time"), "clock.go:4: law 1: imports time"},
		{"the root opens files", "file.go", imports("schedmate", "os"), "file.go:4: law 1: imports os"},
		{"the root draws lots", "lots.go", imports("schedmate", "math/rand/v2"), "lots.go:4: law 1: imports math/rand/v2"},
		{"the root uses the network", "net.go", imports("schedmate", "net/http"), "net.go:4: law 1: imports net/http"},
		{"the root imports a part", "part.go", imports("schedmate", "schedmate/logs"), "part.go:4: law 1: imports schedmate/logs"},
		{"the root imports a library", "lib.go", imports("schedmate", "go.yaml.in/yaml/v3"), "lib.go:4: law 1: imports go.yaml.in/yaml/v3"},

		{"the core reads the clock", "scheduler/sim/sim.go", imports("sim", "time"), "scheduler/sim/sim.go:4: law 2: imports time"},
		{"the core draws lots", "scheduler/sim/sim.go", imports("sim", "crypto/rand"), "scheduler/sim/sim.go:4: law 2: imports crypto/rand"},
		{"the core locks", "scheduler/sim/sim.go", imports("sim", "sync"), "scheduler/sim/sim.go:4: law 2: imports sync"},
		{"the core logs", "scheduler/sim/sim.go", imports("sim", "log/slog"), "scheduler/sim/sim.go:4: law 2: imports log/slog"},
		{"the core has a deadline", "scheduler/sim/sim.go", imports("sim", "context"), "scheduler/sim/sim.go:4: law 2: imports context"},
		{"the core calls C", "scheduler/sim/sim.go", "// Package sim is planted.\npackage sim\n\nimport \"C\"\n", "scheduler/sim/sim.go:4: law 2: imports C"},
		{"the core asks the advisor", "scheduler/sim/sim.go", imports("sim", "schedmate/advisor"), "scheduler/sim/sim.go:4: law 2: imports schedmate/advisor"},
		{"the core calls a solver by name", "scheduler/milp/milp.go", imports("milp", "schedmate/adapters/solver/highs"), "scheduler/milp/milp.go:4: law 2: imports schedmate/adapters/solver/highs"},
		{"the core knows the evaluation", "scheduler/sim/sim.go", imports("sim", "schedmate/eval"), "scheduler/sim/sim.go:4: law 2: imports schedmate/eval"},
		{"the core imports a library", "scheduler/sim/sim.go", imports("sim", "gonum.org/v1/gonum/stat"), "scheduler/sim/sim.go:4: law 2: imports gonum.org/v1/gonum/stat"},
		{"a test of the core asks the tracker", "scheduler/sim/sim_test.go", imports("sim_test", "schedmate/tracker"), "scheduler/sim/sim_test.go:4: law 2: imports schedmate/tracker"},
		{"the core starts a goroutine", "scheduler/lease/lease.go", core("func f() { go f() }\n"), "scheduler/lease/lease.go:4: law 2: starts a goroutine"},
		{"the core waits for channels", "scheduler/lease/lease.go", core("func f(c chan int) {\n\tselect {\n\tcase <-c:\n\tdefault:\n\t}\n}\n"), "scheduler/lease/lease.go:5: law 2: selects between channels"},
		{"the core ranges over a map", "scheduler/lease/lease.go", core("func f(m map[string]int) (k string) {\n\tfor k = range m {\n\t}\n\treturn k\n}\n"), "scheduler/lease/lease.go:5: law 2: ranges over a map"},
		{"the core ranges over a named map", "scheduler/lease/lease.go", core("type book map[string]int\n\ntype shelf struct{ b book }\n\nfunc f(s *shelf) {\n\tfor range s.b {\n\t}\n}\n"), "scheduler/lease/lease.go:9: law 2: ranges over a map"},
		{"the core ranges over a map of any type", "scheduler/lease/lease.go", core("func f[M ~map[string]int](m M) {\n\tfor range m {\n\t}\n}\n"), "scheduler/lease/lease.go:5: law 2: ranges over a map"},
		{"the core gives no reason for the order", "scheduler/lease/lease.go", core("func f(m map[string]int) {\n\t//schedmate:ordered\n\tfor range m {\n\t}\n}\n"), "scheduler/lease/lease.go:6: law 2: ranges over a map"},
		{"the core walks a map by an iterator", "scheduler/lease/lease.go", core("import (\n\t\"maps\"\n\t\"slices\"\n)\n\nfunc f(m map[string]int) []string { return slices.Collect(maps.Keys(m)) }\n"), "scheduler/lease/lease.go:9: law 2: walks a map by maps.Keys"},
		{"the core prints", "scheduler/lease/lease.go", core("import \"fmt\"\n\nfunc f() { fmt.Println() }\n"), "scheduler/lease/lease.go:6: law 2: calls fmt.Println"},
		{"the core prints for debugging", "scheduler/lease/lease.go", core("func f() { println() }\n"), "scheduler/lease/lease.go:4: law 2: calls builtin.println"},
		{"the core differs between machines", "scheduler/lease/lease.go", "//go:build linux\n\n" + core(""), "scheduler/lease/lease.go:1: law 2: has a build tag"},
		{"the core does not compile", "scheduler/lease/lease.go", core("var x = y\n"), "scheduler/lease/lease.go: law 2: cannot be checked: "},

		{"the advisor plans", "advisor/plan.go", imports("advisor", "schedmate/internal/cli"), "advisor/plan.go:4: law 3: imports schedmate/internal/cli"},
		{"the tracker asks the advisor", "tracker/ask.go", imports("tracker", "schedmate/advisor"), "tracker/ask.go:4: law 3: imports schedmate/advisor"},
		{"failure asks the tracker", "failure/ask.go", imports("failure", "schedmate/tracker"), "failure/ask.go:4: law 3: imports schedmate/tracker"},
		{"a test of the tracker plans", "tracker/tracker_test.go", imports("tracker_test", "schedmate/scheduler"), "tracker/tracker_test.go:4: law 3: imports schedmate/scheduler"},
		{"logs know the tracker", "logs/ask.go", imports("logs", "schedmate/tracker"), "logs/ask.go:4: law 3: imports schedmate/tracker"},
		{"prompts have logic", "prompts/ask.go", imports("prompts", "schedmate"), "prompts/ask.go:4: law 3: imports schedmate"},

		{"an adapter imports another", "adapters/kube/redis.go", imports("kube", "schedmate/adapters/store/redis"), "adapters/kube/redis.go:4: law 4: imports schedmate/adapters/store/redis"},
		{"a store imports another store", "adapters/store/bolt/bolt.go", imports("bolt", "schedmate/adapters/store/redis"), "adapters/store/bolt/bolt.go:4: law 4: imports schedmate/adapters/store/redis"},
		{"an adapter plans", "adapters/kube/plan.go", imports("kube", "schedmate/scheduler"), "adapters/kube/plan.go:4: law 4: imports schedmate/scheduler"},
		{"a solver plans", "adapters/solver/highs/plan.go", imports("highs", "schedmate/scheduler"), "adapters/solver/highs/plan.go:4: law 4: imports schedmate/scheduler"},
		{"a test of an adapter reads logs", "adapters/kube/kube_test.go", imports("kube_test", "schedmate/failure"), "adapters/kube/kube_test.go:4: law 4: imports schedmate/failure"},

		{"the checker uses a policy", "scheduler/verify/fifo.go", imports("verify", "schedmate/scheduler/policy/fifo"), "scheduler/verify/fifo.go:4: law 5: imports schedmate/scheduler/policy/fifo"},
		{"the checker trusts Occupancy", "scheduler/verify/trust.go", "package verify\n\nimport \"schedmate\"\n\nvar o = schedmate.NewOccupancy()\n", "scheduler/verify/trust.go:5: law 5: uses NewOccupancy"},

		{"the command line lets an action through", "internal/cli/act.go", imports("cli", "schedmate/internal/guard"), "internal/cli/act.go:4: law 6: imports schedmate/internal/guard"},
		{"the evaluation starts the loop", "eval/act.go", imports("eval", "schedmate/internal/control"), "eval/act.go:4: law 6: imports schedmate/internal/control"},
		{"the loop writes the log", "internal/control/log.go", imports("control", "golang.org/x/mod/sumdb/tlog"), "internal/control/log.go:4: law 6: imports golang.org/x/mod/sumdb/tlog"},

		{"the evaluation names an adapter", "eval/kube.go", imports("eval", "schedmate/adapters/kube"), "eval/kube.go:4: law 7: imports schedmate/adapters/kube"},
		{"the product starts a Slurm", "internal/cli/lab.go", imports("cli", "schedmate/internal/slurmlab"), "internal/cli/lab.go:4: law 7: imports schedmate/internal/slurmlab"},
		{"the loop names an adapter", "internal/control/kube.go", imports("control", "schedmate/adapters/kube"), "internal/control/kube.go:4: law 7: imports schedmate/adapters/kube"},

		{"the agent library spreads", "tracker/agent.go", imports("tracker", "github.com/tmc/langchaingo/llms"), "tracker/agent.go:4: law 8: imports github.com/tmc/langchaingo/llms"},
		{"Kubernetes spreads", "internal/control/kube.go", imports("control", "k8s.io/client-go/rest"), "internal/control/kube.go:4: law 8: imports k8s.io/client-go/rest"},
		{"Redis spreads into a test", "advisor/redis_test.go", imports("advisor", "github.com/redis/go-redis/v9"), "advisor/redis_test.go:4: law 8: imports github.com/redis/go-redis/v9"},
		{"the model client spreads", "advisor/llm.go", imports("advisor", "github.com/sashabaranov/go-openai"), "advisor/llm.go:4: law 8: imports github.com/sashabaranov/go-openai"},
		{"the driver library spreads", "tracker/gpu.go", imports("tracker", "github.com/NVIDIA/go-nvml/pkg/nvml"), "tracker/gpu.go:4: law 8: imports github.com/NVIDIA/go-nvml/pkg/nvml"},
		{"libraries are bound elsewhere", "adapters/solver/worker/bind.go", imports("worker", "github.com/ebitengine/purego"), "adapters/solver/worker/bind.go:4: law 8: imports github.com/ebitengine/purego"},

		{"an experiment is named in code", "eval/special.go", "package eval\n\nconst special = \"marble-week\"\n", "eval/special.go:3: experiments are data: names marble-week"},
		{"a package is called util", "internal/util/util.go", "// Package util is planted.\npackage util\n", "internal/util/util.go:2: naming: package util in internal/util"},
		{"a folder is called helpers", "eval/helpers/scores.go", "// Package scores is planted.\npackage scores\n", "eval/helpers/scores.go:2: naming: package scores in eval/helpers"},
		{"a package has no comment", "eval/scores/scores.go", "// Something else.\npackage scores\n", "eval/scores/scores.go:2: package comment: package scores has none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			violations, err := checkArchitecture(plant(map[string]string{c.file: c.text}))
			if err != nil {
				t.Fatal(err)
			}
			if len(violations) != 1 || !strings.HasPrefix(violations[0].String(), c.want) {
				t.Errorf("got %v, want one that begins %q", violations, c.want)
			}
			for _, v := range violations {
				if v.why == "" {
					t.Errorf("%s gives no reason", v)
				}
			}
		})
	}
}

// What looks like a breach and is none.
func TestLawfulOddities(t *testing.T) {
	for name, text := range map[string]string{
		"sorted keys":               "import (\n\t\"maps\"\n\t\"slices\"\n)\n\nfunc f(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }\n",
		"an order that is no order": "func f(m map[string]int) (sum int) {\n\tfor _, n := range m { //schedmate:ordered a sum has no order\n\t\tsum += n\n\t}\n\treturn sum\n}\n",
		"a mark above the loop":     "func f(m map[string]int) (sum int) {\n\t//schedmate:ordered a sum has no order\n\tfor _, n := range m {\n\t\tsum += n\n\t}\n\treturn sum\n}\n",
		"slices and numbers":        "func f[S ~[]int](s S, n int) {\n\tfor range s {\n\t}\n\tfor range n {\n\t}\n\tfor range \"text\" {\n\t}\n}\n",
		"text without output":       "import \"fmt\"\n\nfunc f() string { return fmt.Sprint(1) }\n",
	} {
		violations, err := checkArchitecture(plant(map[string]string{
			"scheduler/lease/lease.go": "// Package lease is planted.\npackage lease\n\n" + text,
			"eval/longer.go":           "package eval\n\nconst other = \"marble-week-2, my-marble-week\"\n",
		}))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range violations {
			t.Errorf("%s: %s", name, v)
		}
	}
}
