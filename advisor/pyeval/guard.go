package pyeval

import "strings"

// A guard ends the program because the machine does not suit it: "if
// device_count() < 2: print(...); sys.exit()". As after a failed assertion,
// what comes after it still says what the program was meant to do.

// guards reports whether a branch that would be taken is such a guard, and
// notes that the program would end there.
func (in *Interp) guards(s *scope, cond, body *node) bool {
	if in.doubt > 0 || in.trying > 0 || body == nil || len(body.kids) == 0 || len(body.kids) > 4 || !ofMachine(cond, 6) {
		return false
	}
	for i, k := range body.kids {
		last := i == len(body.kids)-1
		switch {
		case k.kind == "raise_statement" && last:
		case k.kind == "expression_statement" && len(k.kids) == 1 && k.kids[0].kind == "call":
			name := lastName(leafText(k.kids[0].get("function")))
			ends := name == "exit" || name == "_exit" || name == "quit"
			if ends != last || !ends && !says[name] {
				return false
			}
		default:
			return false
		}
	}
	in.abort(raised{class: "SystemExit", text: "the program ends where it finds the machine unfit", site: in.at(s, body, ""), sure: in.decided() && in.certain(s, cond, 12)})
	return true
}

// says are last names of functions that only tell people something.
var says = map[string]bool{"print": true, "info": true, "warning": true, "warn": true, "error": true, "critical": true, "log": true, "debug": true, "exception": true, "write": true}

// ofMachine reports whether a condition is about devices or processes.
func ofMachine(n *node, depth int) bool {
	if n == nil || depth == 0 {
		return false
	}
	low := strings.ToLower(n.text)
	for _, word := range []string{"gpu", "device_count", "world_size", "cuda", "accelerator"} {
		if n.kind == "identifier" && strings.Contains(low, word) {
			return true
		}
	}
	for _, k := range n.kids {
		if ofMachine(k, depth-1) {
			return true
		}
	}
	return false
}
