package schedmate

import "fmt"

// Diagnosis is what the logs of a job that ended say about why. Each sentence
// of it stands on quoted lines.
//
// Invariant: if Determined is false, or Class is NoFailure, there is no root and
// no quarantine; a quarantine names a node and its witnesses, and its class is
// infrastructure; confidence lies in [0, 1], and is more than 0 with a root; each
// class and component is a known one, and other roots and readings are failures.
type Diagnosis struct {
	Determined bool         `json:"determined" yaml:"determined"` // false: the logs do not tell
	Class      FailureClass `json:"class" yaml:"class"`           // NoFailure: the job did not fail, or nobody can tell
	Subclass   string       `json:"subclass,omitempty" yaml:"subclass,omitempty"`
	Component  Component    `json:"component" yaml:"component"`
	Node       string       `json:"node,omitempty" yaml:"node,omitempty"` // to blame, when the logs name it
	Rank       *int         `json:"rank,omitempty" yaml:"rank,omitempty"` // where it happened first

	Root     *Quote  `json:"root,omitempty" yaml:"root,omitempty"`
	Evidence []Quote `json:"evidence" yaml:"evidence"` // the root first

	RestartHelps bool      `json:"restart_helps" yaml:"restart_helps"` // the unchanged job would likely get past it
	Quarantine   bool      `json:"quarantine" yaml:"quarantine"`       // of Node
	Witnesses    []Quote   `json:"witnesses,omitempty" yaml:"witnesses,omitempty"`
	HeldBack     string    `json:"held_back,omitempty" yaml:"held_back,omitempty"` // why no node is quarantined although one is suspected
	Also         []Finding `json:"also,omitempty" yaml:"also,omitempty"`           // other, independent roots

	Confidence      float64       `json:"confidence" yaml:"confidence"`
	Alternatives    []Alternative `json:"alternatives,omitempty" yaml:"alternatives,omitempty"` // the likeliest first
	NextTest        string        `json:"next_test,omitempty" yaml:"next_test,omitempty"`       // the cheapest that would confirm or refute it
	ErrorLines      int           `json:"error_lines" yaml:"error_lines"`
	ExplainedErrors int           `json:"explained_errors" yaml:"explained_errors"` // of them, by the roots

	LastStep       *Reading `json:"last_step,omitempty" yaml:"last_step,omitempty"`             // the last rise of the step counter
	LastCheckpoint *Reading `json:"last_checkpoint,omitempty" yaml:"last_checkpoint,omitempty"` // the step of the last saved checkpoint
}

// Quote is a line of a log, as it stands there.
type Quote struct {
	File string `json:"file,omitempty" yaml:"file,omitempty"`
	Line int64  `json:"line" yaml:"line"` // from 1, counted at line feeds
	Byte int64  `json:"byte" yaml:"byte"` // offset of the line, with its labels
	Text string `json:"text" yaml:"text"` // without labels and colours
	Why  string `json:"why,omitempty" yaml:"why,omitempty"`
}

// Finding is a root beside the first.
type Finding struct {
	File      string       `json:"file,omitempty" yaml:"file,omitempty"`
	Line      int64        `json:"line" yaml:"line"`
	Byte      int64        `json:"byte" yaml:"byte"`
	Class     FailureClass `json:"class" yaml:"class"`
	Subclass  string       `json:"subclass" yaml:"subclass"`
	Component Component    `json:"component" yaml:"component"`
	Node      string       `json:"node,omitempty" yaml:"node,omitempty"`
	Text      string       `json:"text" yaml:"text"`
}

// Alternative is another reading of the same lines.
type Alternative struct {
	Class     FailureClass `json:"class" yaml:"class"`
	Subclass  string       `json:"subclass" yaml:"subclass"`
	Component Component    `json:"component" yaml:"component"`
	Why       string       `json:"why" yaml:"why"`
}

// Validate checks the invariant of Diagnosis.
func (d *Diagnosis) Validate(path string) error {
	failed := d.Determined && d.Class != NoFailure
	switch {
	case !d.Class.Known():
		return fieldErr(path+".class", "must be one of the classes, got %q", d.Class)
	case !d.Component.Known():
		return fieldErr(path+".component", "must be one of the components, got %q", d.Component)
	case !failed && d.Root != nil:
		return fieldErr(path+".root", "must be missing when no failure is determined")
	case failed && d.Root == nil:
		return fieldErr(path+".root", "must be there when a failure is determined")
	case d.Quarantine && (!failed || d.Class != InfrastructureFailure):
		return fieldErr(path+".quarantine", "must be false but for failures of class infrastructure")
	case d.Quarantine && (d.Node == "" || len(d.Witnesses) == 0):
		return fieldErr(path+".quarantine", "must name its node and its witnesses")
	case !(d.Confidence >= 0 && d.Confidence <= 1) || failed && d.Confidence == 0:
		return fieldErr(path+".confidence", "must lie in (0, 1], got %g", d.Confidence)
	case d.ExplainedErrors < 0 || d.ExplainedErrors > d.ErrorLines:
		return fieldErr(path+".explained_errors", "must lie in [0, %d], got %d", d.ErrorLines, d.ExplainedErrors)
	}
	for i, q := range d.Evidence {
		if q.Line < 0 || q.Byte < 0 || q.Text == "" {
			return fieldErr(fmt.Sprintf("%s.evidence[%d]", path, i), "must quote a line")
		}
	}
	for i, f := range d.Also {
		if err := failureErr(fmt.Sprintf("%s.also[%d]", path, i), f.Class, f.Component); err != nil {
			return err
		}
	}
	for i, a := range d.Alternatives {
		if err := failureErr(fmt.Sprintf("%s.alternatives[%d]", path, i), a.Class, a.Component); err != nil {
			return err
		}
	}
	return nil
}

// failureErr checks what is said of a failure.
func failureErr(path string, class FailureClass, component Component) error {
	switch {
	case !class.Known() || class == NoFailure:
		return fieldErr(path+".class", "must be one of the classes of failures, got %q", class)
	case !component.Known():
		return fieldErr(path+".component", "must be one of the components, got %q", component)
	}
	return nil
}

// Component is the part at fault.
type Component string

const (
	ComponentGPU             Component = "gpu"
	ComponentNVLink          Component = "nvlink"
	ComponentNVSwitch        Component = "nvswitch"
	ComponentNPU             Component = "npu"
	ComponentTPU             Component = "tpu"
	ComponentDriver          Component = "driver"
	ComponentNode            Component = "node"
	ComponentNetwork         Component = "network"
	ComponentStorage         Component = "storage"
	ComponentHostMemory      Component = "host_memory"
	ComponentContainer       Component = "container"
	ComponentPCIe            Component = "pcie"
	ComponentScheduler       Component = "scheduler"
	ComponentExternalService Component = "external_service"
	ComponentCheckpoint      Component = "checkpoint"
	ComponentData            Component = "data"
	ComponentDependency      Component = "dependency"
	ComponentCompiler        Component = "compiler"
	ComponentFramework       Component = "framework"
	ComponentUserCode        Component = "user_code"
	ComponentUserConfig      Component = "user_config"
	ComponentUnknown         Component = "unknown"
	ComponentNone            Component = "none"
)

// Components are all of them.
func Components() []Component {
	return []Component{
		ComponentGPU, ComponentNVLink, ComponentNVSwitch, ComponentNPU, ComponentTPU, ComponentDriver, ComponentNode,
		ComponentNetwork, ComponentStorage, ComponentHostMemory, ComponentContainer, ComponentPCIe, ComponentScheduler,
		ComponentExternalService, ComponentCheckpoint, ComponentData, ComponentDependency, ComponentCompiler,
		ComponentFramework, ComponentUserCode, ComponentUserConfig, ComponentUnknown, ComponentNone,
	}
}

// Known tells whether the component is one of them.
func (c Component) Known() bool {
	for _, k := range Components() {
		if c == k {
			return true
		}
	}
	return false
}
