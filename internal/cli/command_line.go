package cli

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLine writes the command with the flags that were set, for a report's
// reader to run again.
func commandLine(cmd *cobra.Command) string {
	parts := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(fl *flag) {
		values := []string{fl.Value.String()}
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
			if fl.Value.Type() != "stringArray" {
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, v := range values {
			if fl.Value.Type() == "bool" {
				parts = append(parts, "--"+fl.Name+"="+v)
			} else {
				parts = append(parts, "--"+fl.Name, shellWord(v))
			}
		}
	})
	return strings.Join(parts, " ")
}

// shellWord quotes what a shell would take apart.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./,:=+@%", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
