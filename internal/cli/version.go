package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"schedmate"
)

// Version is the product's version.
const Version = "0.1.0"

type versionDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Version    string `json:"version"`
	Commit     string `json:"commit,omitempty"`
	Modified   bool   `json:"modified,omitempty"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

func version() *versionDocument {
	v := &versionDocument{
		APIVersion: schedmate.APIVersion, Kind: "Version", Version: Version,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	return v
}

func versionCommand(a *app) *cobra.Command {
	return withoutConfig(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  schedmate version
  schedmate version -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version()
			return a.render(v, func(w io.Writer) error {
				commit := v.Commit
				if len(commit) > 12 {
					commit = commit[:12]
				}
				if v.Modified {
					commit += " with changes"
				}
				_, err := fmt.Fprintf(w, "schedmate %s %s (%s, %s)\n", v.Version, cmp.Or(commit, "of no recorded commit"), v.Go, v.Platform)
				return err
			})
		},
	})
}
