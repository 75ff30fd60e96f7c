package cli_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"schedmate/adapters/solver/highs"
	"schedmate/internal/cli"
	"schedmate/internal/config"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected output of the transcripts; understand each change before you commit it")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"schedmate": func() {
			os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv}))
		},
	})
}

// library is where HiGHS is found on this machine, as the program would; empty:
// there is none.
var library = sync.OnceValue(func() string {
	state := ""
	if c, err := config.Load(config.Sources{Env: os.LookupEnv, Processors: 1}); err == nil {
		state = c.State
	}
	l, err := highs.Open(highs.Candidates(os.LookupEnv, state))
	if err != nil {
		return ""
	}
	defer l.Close()
	return l.Path()
})

// Each file in testdata is a conversation with the program.
func TestTranscripts(t *testing.T) {
	examples, err := filepath.Abs("../../docs/format/examples")
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := filepath.Abs("../../scheduler/milp/roundfile/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *rewrite,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("ROUNDS", rounds)
			e.Setenv("HOME", e.WorkDir) // without the library that is in the real one
			e.Setenv(highs.Variable, library())
			return nil
		},
		Condition: func(what string) (bool, error) {
			if what != "highs" {
				return false, fmt.Errorf("no condition %s", what)
			}
			return library() != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCode,
		},
	})
}
