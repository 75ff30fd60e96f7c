package pyeval

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
)

// An exception of the program is certain only when what led to it follows from
// the command, the configuration, the launch and the code. What depends on a
// guessed number of devices, on files that the cluster has and the repository
// lacks, or on what another package gave back may go another way.

// branch is a condition that decided that what runs now runs: one that held
// around it, or one before it that did not hold and would have left the
// function.
type branch struct {
	scope *scope
	cond  *node
	guard bool // it did not hold
	up    *branch
}

// passed notes a condition that was decided before the rest of a function runs.
func (in *Interp) passed(s *scope, cond, body *node) {
	if body != nil && cond != nil && body.holds("return_statement", "raise_statement", "continue_statement", "break_statement") {
		in.under = &branch{scope: s, cond: cond, guard: true, up: in.under}
	}
}

// within runs the body of a condition that holds.
func (in *Interp) within(s *scope, cond, body *node) flow {
	up := in.under
	in.under = &branch{scope: s, cond: cond, up: up}
	f := in.body(s, body)
	in.under = up
	return f
}

// decided reports whether the program surely comes to the place where it is.
func (in *Interp) decided() bool {
	if in.doubt > 0 || in.loop != nil || in.trying > 0 {
		return false
	}
	for b := in.under; b != nil; b = b.up {
		if !in.certain(b.scope, b.cond, 12) {
			return false
		}
	}
	return true
}

// chosen reports whether an option or a key of a configuration decided that
// what runs now runs.
func (in *Interp) chosen() bool {
	for b := in.under; b != nil; b = b.up {
		if !b.guard && !strings.Contains(leafText(b.cond), "__name__") && !(len(b.cond.kids) > 0 && strings.Contains(leafText(b.cond.kids[0]), "__name__")) {
			return true
		}
	}
	return false
}

// certain reports whether a condition stands on nothing that was guessed.
func (in *Interp) certain(s *scope, n *node, depth int) bool {
	if n == nil || depth == 0 {
		return false
	}
	switch n.kind {
	case "integer", "float", "string", "true", "false", "none":
		return true
	case "identifier", "attribute":
		if leafText(n) == "__name__" {
			return true
		}
		was := in.trying
		in.trying = 0
		v := in.eval(s, n)
		in.trying = was
		return noted(v, 4)
	case "call":
		name := leafText(n.get("function"))
		args := n.get("arguments")
		switch lastName(name) {
		case "device_count", "is_available":
			d := in.program.Machine.Devices
			return d.Known() && !guessed(d.Origin, 6)
		case "len", "int", "float", "str", "bool", "min", "max", "abs":
			if name != lastName(name) || args == nil {
				return false
			}
		case "lower", "upper", "strip", "split", "startswith", "endswith", "replace", "isdigit", "isnumeric":
			if f := n.get("function"); f.kind != "attribute" || !in.certain(s, f.get("object"), depth-1) {
				return false
			}
		default:
			return false
		}
		return args == nil || in.certainAll(s, args, depth-1)
	case "comparison_operator", "boolean_operator", "not_operator", "binary_operator", "unary_operator", "parenthesized_expression", "tuple", "list", "set":
		return in.certainAll(s, n, depth-1)
	}
	return false
}

func (in *Interp) certainAll(s *scope, n *node, depth int) bool {
	for _, k := range n.kids {
		if k.field != "operator" && k.field != "operators" && !in.certain(s, k, depth) {
			return false
		}
	}
	return true
}

// noted reports whether a value is one that somebody wrote down.
func noted(v Value, depth int) bool {
	switch v.Kind {
	case Int, Float, Str, Bool, None:
		return v.Origin != nil && !guessed(v.Origin, 8)
	case ListKind, TupleKind, SetKind:
		items, whole := v.Items()
		if !whole || depth == 0 || len(items) == 0 {
			return false
		}
		return !slices.ContainsFunc(items, func(x Value) bool { return !noted(x, depth-1) })
	}
	return false
}

// guessed reports whether a value stands on a rule in place of knowledge.
func guessed(o *origin.Origin, depth int) bool {
	if o == nil || depth == 0 {
		return o != nil
	}
	if o.Kind == origin.Rule {
		return o.Key != "the first process is shown" // that one there is
	}
	return slices.ContainsFunc(o.From, func(f *origin.Origin) bool { return guessed(f, depth-1) })
}
