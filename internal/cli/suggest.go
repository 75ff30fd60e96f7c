package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandBehindDashes marks commands whose arguments are the words of another.
const commandBehindDashes = "command behind --"

// suggesting lets a command and all below it answer a mistyped name with the one
// that was meant.
func suggesting(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
			return err
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		err = meant(err, "--", unknown.GetSpecifiedName(), names, cmd)
		if cmd.Annotations[commandBehindDashes] != "" {
			err = fmt.Errorf("%w; put -- before the command if this is one of its words", err)
		}
		return err
	})
	for _, sub := range cmd.Commands() {
		suggesting(sub)
	}
	if check := cmd.Args; check != nil && !cmd.HasSubCommands() {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil {
				return nil
			}
			if text := err.Error(); strings.HasPrefix(text, "accepts ") || strings.HasPrefix(text, "requires at least ") || strings.HasPrefix(text, "unknown command ") { // the library's words
				return fmt.Errorf("%s does not take %s: the usage is '%s'", cmd.CommandPath(), plural(len(args), "argument"), cmd.UseLine())
			}
			return err
		}
	}
	if check := cmd.Args; check != nil && cmd.HasSubCommands() {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil || len(args) == 0 {
				return err
			}
			var names []string
			for _, sub := range cmd.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name())
				}
			}
			return meant(err, "", args[0], names, cmd)
		}
	}
}

// meant adds to an error what was probably meant, or where to look.
func meant(err error, mark, typed string, names []string, cmd *cobra.Command) error {
	if name := nearest(typed, names); name != "" {
		return fmt.Errorf("%w: did you mean %s%s?", err, mark, name)
	}
	return fmt.Errorf("%w: see '%s --help'", err, cmd.CommandPath())
}

// nearest is the name that a mistyped one is nearest to, "" when none is near:
// one letter in three may be wrong, or the end be missing.
func nearest(typed string, names []string) string {
	best, least := "", max(1, len(typed)/3)+1
	for _, name := range names {
		d := edits(strings.ToLower(typed), name)
		if len(typed) >= 3 && strings.HasPrefix(name, typed) {
			d = 1
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// edits is how many letters must be put in, left out or changed, or neighbours
// swapped, to turn one word into another.
func edits(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1) // of the two rows above
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
