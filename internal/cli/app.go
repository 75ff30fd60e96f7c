package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// app is what all commands share.
type app struct {
	streams *Streams
	flags   struct{ configFile, output string }
	config  settings
	output  string // table, json or yaml
}

type settings struct {
	Policy, Data, Output string
	Parallel             int
}

func (a *app) configure(*cobra.Command) error {
	data, _ := a.streams.Env("SCHEDMATE_DATA")
	a.config = settings{Policy: "fifo", Data: data, Parallel: runtime.GOMAXPROCS(0)}
	a.output = a.flags.output
	switch a.output {
	case "":
		a.output = "table"
	case "table", "json", "yaml":
	default:
		return usage(fmt.Errorf("unknown output format %q: use table, json or yaml", a.output))
	}
	return nil
}
