package cli

import "github.com/spf13/cobra"

func configCommand(a *app) *cobra.Command { return &cobra.Command{Use: "config"} }
func doctorCommand(a *app) *cobra.Command { return &cobra.Command{Use: "doctor"} }
