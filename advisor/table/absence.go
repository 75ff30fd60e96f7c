package table

import (
	"strconv"
	"sync"

	"schedmate/advisor/origin"
	"schedmate/advisor/workload"
)

// Absence is what a field is when nothing of it is said on the whole path of
// the program.
type Absence struct {
	Field     workload.Field
	Condition string // what was looked for and not found
	Value     any    // string or float64, as the field's type says
	Wording   string // for people
	Source    string
	Origin    *origin.Origin
}

var absences = sync.OnceValue(func() []Absence {
	var all []Absence
	for _, r := range mustRead("absence") {
		var v any = r.text("value")
		if x, err := strconv.ParseFloat(r.text("value"), 64); err == nil {
			v = x
		}
		all = append(all, Absence{
			Field: workload.Field(r.text("field")), Condition: r.text("condition"), Value: v, Wording: r.text("wording"),
			Source: r.text("source"), Origin: origin.Named(origin.Rule, "absence: "+r.text("field")+", "+r.text("condition")),
		})
	}
	return all
})

// WhenAbsent returns the rule of a field for a condition that holds.
func WhenAbsent(field workload.Field, condition string) (Absence, bool) {
	for _, a := range absences() {
		if a.Field == field && a.Condition == condition {
			return a, true
		}
	}
	return Absence{}, false
}

// Absences lists all rules in order of the table.
func Absences() []Absence { return append([]Absence(nil), absences()...) }
