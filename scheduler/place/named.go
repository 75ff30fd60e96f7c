package place

import "fmt"

// Rule names a placement in a policy's options.
type Rule string

const (
	ConsolidatedRule Rule = "consolidated"
	LucidRule        Rule = "lucid"
	TitanRule        Rule = "titan"
	SpreadRule       Rule = "spread"
)

// Func returns the placement of that name.
func (r Rule) Func() (Func, error) {
	switch r {
	case ConsolidatedRule:
		return Consolidated, nil
	case LucidRule:
		return Lucid, nil
	case TitanRule:
		return Titan, nil
	case SpreadRule:
		return Spread, nil
	}
	return nil, fmt.Errorf("unknown placement %q: use %s, %s, %s or %s", r, ConsolidatedRule, LucidRule, TitanRule, SpreadRule)
}
