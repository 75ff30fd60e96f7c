package pyeval

import "strings"

// A loop does some things only every so many rounds: "if (i + 1) % n == 0:
// optimizer.step()". What is called there remembers the n.

// everyNth runs the body of a condition of which nobody knows in which rounds
// it holds.
func (in *Interp) everyNth(s *scope, cond, body *node) flow {
	before := in.every
	if in.loop != nil {
		if n := remainder(cond, 6); n != nil {
			v := in.eval(s, n)
			in.every = &v
		}
	}
	f := in.body(s, body)
	in.every = before
	return f
}

// remainder finds the right side of the "%" in a condition.
func remainder(n *node, depth int) *node {
	if n == nil || depth == 0 {
		return nil
	}
	switch n.kind {
	case "binary_operator":
		if op := n.get("operator"); op != nil && op.text == "%" {
			return n.get("right")
		}
	case "boolean_operator", "parenthesized_expression", "not_operator", "comparison_operator":
		for _, k := range n.kids {
			if got := remainder(k, depth-1); got != nil {
				return got
			}
		}
	}
	return nil
}

// comesRound reports that a condition which does not hold in the round that is
// followed holds in others, and that training happens there: "if step % n == 0:
// agent.update()" of a step that the loop counts.
func (in *Interp) comesRound(s *scope, cond, body *node) bool {
	if in.loop == nil || len(in.counted) == 0 {
		return false
	}
	left := dividend(cond, 6)
	if left == nil {
		return false
	}
	names := map[string]bool{}
	identifiers(left, names)
	for _, counted := range in.counted {
		for name := range counted { //schedmate:ordered whether one is among them has no order
			if names[name] {
				return in.learns(s, body)
			}
		}
	}
	return false
}

// dividend finds the left side of the "%" in a condition.
func dividend(n *node, depth int) *node {
	if n == nil || depth == 0 {
		return nil
	}
	if n.kind == "binary_operator" {
		if op := n.get("operator"); op != nil && op.text == "%" {
			return n.get("left")
		}
		return nil
	}
	for _, k := range n.kids {
		if got := dividend(k, depth-1); got != nil {
			return got
		}
	}
	return nil
}

// identifiers collects the names in an expression.
func identifiers(n *node, names map[string]bool) {
	if n.kind == "identifier" {
		names[n.text] = true
	}
	for _, k := range n.kids {
		identifiers(k, names)
	}
}

// learns reports whether a body calls what trains.
func (in *Interp) learns(s *scope, body *node) bool {
	for _, k := range body.kids {
		if k.kind == "call" {
			name := leafText(k.get("function"))
			if i := strings.LastIndex(name, "."); i >= 0 {
				name = name[i+1:]
			}
			if name == "backward" || name == "learn" || strings.HasPrefix(name, "train") || name == "optimize" || strings.HasPrefix(name, "update") && !in.updatesDict(s, k.get("function")) {
				return true
			}
		}
		if in.learns(s, k) {
			return true
		}
	}
	return false
}
