package fingerprint

import (
	"fmt"
	"strings"

	"schedmate/advisor/workload"
)

// Decision is how two works relate.
type Decision int

// The decisions.
const (
	Different Decision = iota // must never be averaged
	Near                      // the same kind of work in another amount: scale it
	Same                      // runs of one are runs of the other
)

func (d Decision) String() string { return [...]string{"different", "near", "same"}[d] }

// Comparison is a decision with its reasons.
type Comparison struct {
	Decision Decision
	Sure     bool    // of Same: what is computed and how much of it is known; else other evidence, such as one user and name, should agree
	Scale    float64 // duration of b over that of a on equal hardware; 1 when Same, 0 when Different
	Score    float64 // structured similarity, 0 to 1
	Gate     float64 // likeness in amount, 0 to 1
	Why      []string
}

const (
	// sameScore is what two works must score that agree in all they both know;
	// below, too much is known of one only.
	sameScore = 0.93
	// manyFields that agree stand in for a second name.
	manyFields = 8
	// farthest amounts that are scaled, in doublings: beyond, start-up,
	// evaluation and the end condition matter more than the ratio. Each bound
	// is on one amount.
	farIterations = 3.0 // eight times
	farBatch      = 3.0
	farPixels     = 0.5 // of one side: beyond twice the pixels a network is fed in another way
	farLength     = 2.1
)

// Compare relates two works. A Print of another form is different.
func Compare(a, b Print) Comparison {
	if a.Form != b.Form {
		return Comparison{Why: []string{fmt.Sprintf("prints of form %d and %d cannot be compared: read the older job again", a.Form, b.Form)}}
	}
	c := Comparison{Score: Score(a.Fields, b.Fields), Gate: Gate(a.Fields, b.Fields)}
	differ, agree := disagreements(a, b)
	oneRecipe := a.Recipe != "" && a.Recipe == b.Recipe
	if oneRecipe && onlyNames(differ) {
		c.Decision, c.Scale, c.Sure, c.Why = Same, 1, true, []string{"are made from the same files and words"}
		return c
	}
	if c.Why = conflicts(a, b); len(c.Why) > 0 {
		return c
	}
	if names := a.Settings.differ(b.Settings); len(names) > 0 && !oneRecipe {
		c.Why = []string{"are set otherwise: " + some(names)}
		return c
	}
	anchored := anchors(a, b)
	if len(differ) == 0 && anchored > 0 && (anchored > 1 || agree >= manyFields) && (a.Cost == b.Cost || c.Score >= sameScore) {
		c.Decision, c.Scale, c.Why = Same, 1, []string{"agree in all that is known of both"}
		_, amount := a.Fields[workload.Iterations]
		_, amountToo := b.Fields[workload.Iterations]
		c.Sure = anchored > 1 && amount && amountToo
		return c
	}
	if anchored < 2 {
		c.Why = []string{"too little is known of both to call them related"}
		return c
	}
	c.Decision = Near
	c.Scale, c.Why = Ratio(a.Fields, b.Fields)
	if len(differ) == 0 {
		c.Why = append(c.Why, "much is known of one only")
	} else if len(c.Why) == 0 {
		c.Why = []string{"differ in " + strings.Join(differ, ", ") + ", which costs about the same"}
	}
	return c
}

// onlyNames tells whether two works differ in no more than how the model is
// called: a name may come from that of a file.
func onlyNames(differ []string) bool {
	return len(differ) == 0 || len(differ) == 1 && differ[0] == string(workload.ModelName)
}

// some lists the first names.
func some(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Match tells whether runs of a say something about b, and how many times as
// long b takes.
func Match(a, b Print) (match bool, scale float64, why string) {
	c := Compare(a, b)
	return c.Decision != Different, c.Scale, strings.Join(c.Why, "; ")
}

// conflicts lists what makes two works different.
func conflicts(a, b Print) []string {
	var why []string
	for _, f := range []workload.Field{workload.ModelName, workload.Dataset, workload.Task, workload.Tuning, workload.IterationType, workload.DModel, workload.NLayers} {
		x, haveX := a.Fields[f]
		y, haveY := b.Fields[f]
		if !haveX || !haveY || x.equal(y) || squeeze(x.String()) == squeeze(y.String()) || f == workload.ModelName && sameName(x.Text, y.Text) {
			continue
		}
		why = append(why, fmt.Sprintf("%s: %s and %s", f, x, y))
	}
	if x, y := squeeze(a.Fields[workload.Optimizer].Text), squeeze(b.Fields[workload.Optimizer].Text); !strings.Contains(x, y) && !strings.Contains(y, x) {
		why = append(why, fmt.Sprintf("optimizer: %s and %s: another recipe", x, y)) // but "adamw" and "fused-adamw" are one
	}
	if x, y := a.Fields[Purpose].Text, b.Fields[Purpose].Text; x != y {
		why = append(why, "one trains, the other is for "+x+y)
	}
	if a.Code != "" && b.Code != "" && a.Code != b.Code {
		why = append(why, "the code that is run differs")
	}
	for _, far := range []struct {
		field workload.Field
		limit float64
	}{{workload.Iterations, farIterations}, {workload.PerDeviceBatchSize, farBatch}, {workload.ImageSize, farPixels}, {workload.SeqLen, farLength}} {
		x, haveX := a.Fields.number(far.field)
		y, haveY := b.Fields.number(far.field)
		if haveX && haveY && octaves(x, y) > far.limit {
			why = append(why, fmt.Sprintf("%s: %.6g and %.6g are too far apart to scale", far.field, x, y))
		}
	}
	return why
}

// anchors counts what both know of what is computed: model, data set and task.
// Model or data set and one thing more are enough to be related. One code is
// not: its settings tell a small model from a large one.
func anchors(a, b Print) int {
	both := func(f workload.Field) int {
		_, haveA := a.Fields[f]
		if _, haveB := b.Fields[f]; haveA && haveB {
			return 1
		}
		return 0
	}
	name := both(workload.ModelName) + both(workload.Dataset)
	if name == 0 {
		return min(both(workload.Task), 1)
	}
	return name + both(workload.Task)
}

// disagreements names the fields of the two hashes that both know otherwise,
// and counts those in which they agree.
func disagreements(a, b Print) (names []string, agree int) {
	for _, list := range [][]workload.Field{workloadFields, costFields} {
		for _, f := range list {
			x, haveX := a.Fields[f]
			y, haveY := b.Fields[f]
			switch {
			case !haveX || !haveY:
			case x.equal(y) || squeeze(x.String()) == squeeze(y.String()) || f == workload.ModelName && sameName(x.Text, y.Text):
				agree++
			default:
				names = append(names, string(f))
			}
		}
	}
	return names, agree
}
