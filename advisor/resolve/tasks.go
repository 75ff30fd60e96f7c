package resolve

import (
	"strings"

	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// tasks answers what the work is called, by the table's rules over what was
// seen.
func (v *view) tasks() {
	s := table.Signals{EntryName: v.run.Name}
	s.Dataset, _ = v.md.Text(workload.Dataset)
	s.Model, _ = v.md.Text(workload.ModelName)
	s.ModelFamily, _ = v.md.Text(workload.ModelFamily)
	s.InitFrom, _ = v.md.Text(workload.InitFrom)
	seen := map[string]bool{}
	for _, c := range v.obs.Calls {
		name := strings.TrimPrefix(c.Name, "repo:")
		last := lastPart(strings.TrimSuffix(name, "()"))
		if strings.HasSuffix(last, "Loss") || strings.Contains(strings.ToLower(last), "cross_entropy") || strings.HasSuffix(last, "_loss") {
			if !seen["loss "+last] {
				s.Losses = append(s.Losses, last)
			}
			seen["loss "+last] = true
		}
		if o := c.Self.Object(); o != nil && s.ModelClass == "" && strings.HasPrefix(c.Name, "repo:") && isModule(o.Class.Bases()) {
			s.ModelClass = o.Class.Name
		}
		if strings.Contains(name, ".from_pretrained") || strings.Contains(name, ".from_config") {
			class := strings.TrimSuffix(strings.TrimSuffix(name, ".from_pretrained"), ".from_config")
			if l := lastPart(class); strings.Contains(l, "For") || s.ModelClass == "" {
				s.ModelClass = l
			}
		}
		if !seen[name] && !strings.HasPrefix(name, "?") && len(s.Callees) < 2000 {
			seen[name] = true
			s.Callees = append(s.Callees, name)
		}
	}
	for _, key := range sortedNames(v.names) {
		for _, n := range v.names[key] {
			if !n.config || len(s.Flags) >= 2000 {
				continue
			}
			switch {
			case isNumber(n.value), n.value.Kind == pyeval.Str, n.value.Kind == pyeval.Bool:
				s.Flags = append(s.Flags, table.Flag{Name: key, Value: n.value.String()})
			case n.value.Kind == pyeval.CandidatesKind: // that there is such an option is known
				s.Flags = append(s.Flags, table.Flag{Name: key, Value: "?"})
			}
		}
	}
	if slug, rule, ok := table.Task(s); ok && !(slug == "image-classification" && otherGoal(s.Losses)) {
		v.set(workload.Task, slug, rule.Origin)
	}
	v.why(workload.Task, "no rule for the name of the work applies")
}

// otherGoal reports that losses were seen and none of them is one of classes:
// what a data set is mostly used for is then not what is done here.
func otherGoal(losses []string) bool {
	for _, l := range losses {
		low := strings.ReplaceAll(strings.ToLower(l), "_", "")
		for _, word := range []string{"crossentropy", "nll", "bce", "focal", "hinge", "margin", "softmax", "jsd", "distill", "kldiv", "celoss", "classif", "criterion"} {
			if strings.Contains(low, word) {
				return false
			}
		}
	}
	return len(losses) > 0
}
