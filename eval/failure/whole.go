package failure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"schedmate"
	handler "schedmate/failure"
)

// Whole is the handler as the product uses it: each log is an incident, and each
// quote is looked up again.
func Whole(rules *handler.RuleSet) Ask {
	return func(ctx context.Context, log handler.Log) (Prediction, error) {
		incident := []handler.Log{log}
		in, err := handler.Diagnose(ctx, rules, incident)
		if err != nil {
			return Prediction{}, err
		}
		d := &in.Diagnosis
		if err := d.Validate("diagnosis"); err != nil {
			return Prediction{}, fmt.Errorf("the diagnosis contradicts itself: %w", err)
		}
		if err := handler.Verify(ctx, incident, slices.Concat(d.Evidence, d.Witnesses)); err != nil {
			return Prediction{}, err
		}
		return FromDiagnosis(d), nil
	}
}

// FromDiagnosis is what is scored of a diagnosis.
func FromDiagnosis(d *schedmate.Diagnosis) Prediction {
	p := Prediction{
		Class: cmp.Or(string(d.Class), NoFailure), Subclass: d.Subclass, Component: string(d.Component), Node: d.Node,
		RestartHelps: d.RestartHelps, Quarantine: d.Quarantine, Determined: d.Determined, Confidence: d.Confidence,
	}
	if d.Root != nil {
		p.RootLine = d.Root.Line
	}
	for _, also := range d.Also {
		p.Also = append(p.Also, LineOnly{also.Line})
	}
	return p
}
