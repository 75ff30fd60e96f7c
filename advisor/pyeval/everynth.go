package pyeval

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
