package schedmate_test

import (
	"testing"

	"schedmate"
)

// A diagnosis speaks only of classes and parts that are known, of its other roots
// and readings, too.
func TestDiagnosisRows(t *testing.T) {
	valid := func() *schedmate.Diagnosis {
		root := schedmate.Quote{Line: 3, Text: "boom"}
		return &schedmate.Diagnosis{
			Determined: true, Class: schedmate.UserFailure, Component: schedmate.ComponentData, Root: &root, Evidence: []schedmate.Quote{root}, Confidence: 0.5,
			Also:         []schedmate.Finding{{Line: 9, Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentGPU}},
			Alternatives: []schedmate.Alternative{{Class: schedmate.FrameworkFailure, Component: schedmate.ComponentFramework}},
		}
	}
	checkRows(t, valid, func(d *schedmate.Diagnosis) error { return d.Validate("diagnosis") }, []row[schedmate.Diagnosis]{
		{"an odd class", func(d *schedmate.Diagnosis) { d.Class = "odd" }, `diagnosis.class: must be one of the classes, got "odd"`},
		{"another root of an odd class", func(d *schedmate.Diagnosis) { d.Also[0].Class = "odd" }, `diagnosis.also[0].class: must be one of the classes of failures, got "odd"`},
		{"another root that is no failure", func(d *schedmate.Diagnosis) { d.Also[0].Class = schedmate.NoFailure }, `diagnosis.also[0].class: must be one of the classes of failures, got ""`},
		{"another root in an odd part", func(d *schedmate.Diagnosis) { d.Also[0].Component = "odd" }, `diagnosis.also[0].component: must be one of the components, got "odd"`},
		{"another reading of an odd class", func(d *schedmate.Diagnosis) { d.Alternatives[0].Class = "odd" }, `diagnosis.alternatives[0].class: must be one of the classes of failures, got "odd"`},
		{"another reading in an odd part", func(d *schedmate.Diagnosis) { d.Alternatives[0].Component = "odd" }, `diagnosis.alternatives[0].component: must be one of the components, got "odd"`},
	})
}
