package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"schedmate/internal/cli"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected output of the transcripts; understand each change before you commit it")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"schedmate": func() {
			os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv}))
		},
	})
}

// Each file in testdata is a conversation with the program.
func TestTranscripts(t *testing.T) {
	examples, err := filepath.Abs("../../docs/format/examples")
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
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCode,
		},
	})
}
