package pyeval

// Packages that lay one tree of settings over another.
func init() {
	native(func(in *Interp, c *Call) Value {
		base, okBase := c.Arg("base", 0)
		head, okHead := c.Arg("head", 1)
		if !okBase || !okHead {
			return unknown("a merge of less than two trees")
		}
		return in.laidOver(base, head)
	}, "jsonmerge.merge")
	native(func(in *Interp, c *Call) Value {
		if len(c.Args) == 0 {
			return unknown("a merge of nothing")
		}
		base := c.Args[0]
		for _, over := range c.Args[1:] {
			if base.Dict() == nil {
				return unknown("a merge into what is no mapping")
			}
			in.mergeDict(base.Dict(), over, mergeRules{}) // in place
		}
		return base
	}, "mergedeep.merge")
}

// laidOver is a new tree of both, the second stronger.
func (in *Interp) laidOver(base, head Value) Value {
	if base.Kind == CandidatesKind || head.Kind == CandidatesKind {
		return each2(base, head, in.laidOver)
	}
	out := in.copyOf(base, 40)
	if out.Dict() == nil || head.Dict() == nil {
		return in.copyOf(head, 40)
	}
	in.mergeDict(out.Dict(), head, mergeRules{})
	return out
}
