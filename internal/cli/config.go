package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/internal/config"
)

type configDocument struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	File       string         `json:"file,omitempty"` // the configuration file that was read
	Settings   []config.Value `json:"settings"`
}

func configCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration and where it comes from",
		Long: `A setting comes from the first of: a flag, an environment variable
SCHEDMATE_NAME, the configuration file, what is built in.`,
		Example: `  schedmate config view
  schedmate config path
  schedmate config schema > config.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "view",
			Short:   "Every setting, its value and its origin",
			Example: "  SCHEDMATE_PARALLEL=1 schedmate config view",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return a.configView() },
		},
		withoutConfig(&cobra.Command{
			Use:     "path",
			Short:   "The places of the configuration file, the first that exists counts",
			Example: "  schedmate config path",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return a.configPath() },
		}),
		withoutConfig(&cobra.Command{
			Use:     "schema",
			Short:   "The JSON Schema of the configuration file",
			Example: "  schedmate config schema > config.schema.json",
			Args:    cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				enc := json.NewEncoder(a.streams.Out)
				enc.SetIndent("", "  ")
				return asFailure(enc.Encode(config.Schema()))
			},
		}),
	)
	return cmd
}

func (a *app) configView() error {
	doc := configDocument{APIVersion: schedmate.APIVersion, Kind: "EffectiveConfig", File: a.config.File, Settings: a.config.Values}
	return a.render(doc, func(w io.Writer) error {
		rows := [][]string{{"SETTING", "VALUE", "ORIGIN"}}
		for _, v := range doc.Settings {
			rows = append(rows, []string{v.Name, v.Value, v.Origin})
		}
		return columns(w, rows)
	})
}

func (a *app) configPath() error {
	paths, _, err := a.sources.Files()
	if err != nil {
		return usage(err)
	}
	doc := struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Read       string   `json:"read,omitempty"`
		Places     []string `json:"places"`
	}{schedmate.APIVersion, "ConfigPlaces", a.config.File, paths}
	return a.render(doc, func(w io.Writer) error {
		for _, p := range paths {
			note := ""
			if p == a.config.File {
				note = "   (read)"
			}
			if _, err := fmt.Fprintf(w, "%s%s\n", printable(p), note); err != nil {
				return err
			}
		}
		return nil
	})
}
