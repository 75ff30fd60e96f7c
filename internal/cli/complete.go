package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedmate/scheduler/policy"
)

type flag = pflag.Flag

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

func completeFrom(names func() []string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completePolicies offers the registry's policies with their summaries.
func completePolicies(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, d := range policy.All() {
		out = append(out, d.Name+"\t"+d.Summary)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completePresets offers the presets that policies have, and what stands for them.
func completePresets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	out := []string{"artifact\tas the public code behaves"}
	for _, d := range policy.All() {
		for _, p := range d.Presets {
			if !slices.Contains(out, p.Name) {
				out = append(out, p.Name)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
