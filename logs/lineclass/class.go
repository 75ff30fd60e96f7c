package lineclass

import "fmt"

// Class says what a line looks like. The zero value is no class.
type Class uint8

const (
	_ Class = iota
	// InitConfig is start-up: arguments, settings, devices, world size, what is
	// built.
	InitConfig
	// ProgressMetric carries a step, an epoch, a loss, a score or a speed, or is
	// the head of such a table.
	ProgressMetric
	// Warning: the job goes on, for instance after a retry.
	Warning
	// InfraError: hardware, driver, network, storage, node. Only this class may
	// be part of a case for isolation or a restart.
	InfraError
	// FrameworkError: the framework or a library gives up.
	FrameworkError
	// UserTraceback: the user's script or settings, and the frames of any
	// traceback.
	UserTraceback
	// BenignInfo is routine without a metric.
	BenignInfo
	// ShutdownCascade is the end of a process and its echoes; never the cause.
	ShutdownCascade

	classCount = int(ShutdownCascade)
)

// Classes returns all classes.
func Classes() []Class {
	all := make([]Class, classCount)
	for i := range all {
		all[i] = Class(i + 1)
	}
	return all
}

var classNames = [...]string{
	InitConfig:      "init_config",
	ProgressMetric:  "progress_metric",
	Warning:         "warning",
	InfraError:      "infra_error",
	FrameworkError:  "framework_error",
	UserTraceback:   "user_traceback",
	BenignInfo:      "benign_info",
	ShutdownCascade: "shutdown_cascade",
}

func (c Class) valid() bool { return c != 0 && int(c) < len(classNames) }

func (c Class) String() string {
	if !c.valid() {
		return fmt.Sprintf("class(%d)", uint8(c))
	}
	return classNames[c]
}

// MarshalText writes the name of the class.
func (c Class) MarshalText() ([]byte, error) {
	if !c.valid() {
		return nil, fmt.Errorf("lineclass: no class has the number %d", uint8(c))
	}
	return []byte(classNames[c]), nil
}

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error {
	for i := InitConfig; int(i) < len(classNames); i++ {
		if classNames[i] == string(text) {
			*c = i
			return nil
		}
	}
	return fmt.Errorf("unknown class %q: use one of %v", text, classNames[1:])
}

// Confidence is the probability, from 0 to 1, that the model gives to its answer.
type Confidence float32
