package advisor

import (
	"slices"
	"strings"

	"schedmate/advisor/resolve"
)

// evaluationOnly are the names of switches that leave the training out.
var evaluationOnly = []string{"evaluate", "eval_only", "only_eval", "evaluate_only", "evaluation_only", "test_only", "only_test", "validate_only", "val_only", "inference_only", "eval"}

// evaluates reports whether a word of the command says that the program is to
// evaluate and not to train.
func evaluates(r *resolve.Result) bool {
	if r.Program == nil {
		return false
	}
	switches := map[string]string{} // options that take no value
	if r.Observed != nil {
		for _, p := range r.Observed.Parsers {
			for _, o := range p.Options {
				for _, name := range o.Names {
					if o.Action == "store_true" {
						switches[name] = o.Dest
					}
				}
			}
		}
	}
	words := r.Program.Args
	for i, w := range words {
		name, value, assigned := strings.Cut(w.Text, "=")
		dest, isSwitch := switches[name]
		if !isSwitch {
			if !strings.HasPrefix(name, "--") && !assigned {
				continue
			}
			dest = strings.TrimLeft(name, "-+")
			if !assigned && i+1 < len(words) && words[i+1].Known {
				value = words[i+1].Text
			}
			if yes := strings.ToLower(value); yes != "true" && yes != "1" && yes != "yes" && !(value == "" || strings.HasPrefix(value, "-")) {
				continue
			}
			if dest == "eval" && value == "" { // a word of its own may be the name of a mode
				continue
			}
		}
		if slices.Contains(evaluationOnly, strings.ReplaceAll(strings.ToLower(dest), "-", "_")) {
			return true
		}
	}
	return false
}
