package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"schedmate/internal/config"
	"schedmate/scheduler/policy"
)

// app is what all commands share.
type app struct {
	streams *Streams
	config  *config.Effective
	sources config.Sources

	configError error // of a command that works with a broken configuration
}

// worksWithoutConfig marks commands that help to mend a broken configuration:
// they go on with built-in settings.
const worksWithoutConfig = "works without configuration"

func withoutConfig(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{worksWithoutConfig: "yes"}
	return cmd
}

// configure finds the configuration from the flags of the command that runs,
// the environment and the configuration file.
func (a *app) configure(cmd *cobra.Command) error {
	a.sources = config.Sources{
		Flags:      make(map[string]string),
		Env:        a.streams.Env,
		SystemFile: config.SystemFile,
		Processors: runtime.GOMAXPROCS(0),
	}
	cmd.Flags().Visit(func(f *flag) { a.sources.Flags[f.Name] = f.Value.String() })
	var err error
	if a.config, err = config.Load(a.sources); err != nil {
		if cmd.Annotations[worksWithoutConfig] == "" {
			return usage(err)
		}
		a.configError = err
		a.config, err = config.Load(config.Sources{Processors: a.sources.Processors})
		if err != nil {
			return usage(err)
		}
	}
	if _, err := policy.All().Find(a.config.Policy); err != nil {
		return usage(fmt.Errorf("%s: %w", a.config.Origin("policy"), err))
	}
	return nil
}
