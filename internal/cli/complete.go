package cli

import (
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
