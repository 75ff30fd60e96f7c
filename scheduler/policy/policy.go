package policy

import (
	"schedmate/scheduler"
	"schedmate/scheduler/policy/chronus"
	"schedmate/scheduler/policy/edf"
	"schedmate/scheduler/policy/fifo"
	"schedmate/scheduler/policy/gandiva"
	"schedmate/scheduler/policy/genie"
	"schedmate/scheduler/policy/lucid"
	"schedmate/scheduler/policy/packing"
	"schedmate/scheduler/policy/qssf"
	"schedmate/scheduler/policy/sia"
	"schedmate/scheduler/policy/sjf"
	"schedmate/scheduler/policy/srtf"
	"schedmate/scheduler/policy/themis"
	"schedmate/scheduler/policy/threesigma"
	"schedmate/scheduler/policy/tiresias"
	"schedmate/scheduler/policy/unisched"
	"schedmate/scheduler/policy/yarncs"
)

// All returns every policy, in the order in which tables show them.
func All() scheduler.Registry {
	return scheduler.Registry{
		fifo.Descriptor(),
		sjf.Descriptor(),
		qssf.Descriptor(),
		srtf.Descriptor(),
		tiresias.Descriptor(),
		edf.Descriptor(),
		yarncs.Descriptor(),
		threesigma.Descriptor(),
		gandiva.Descriptor(),
		themis.Descriptor(),
		genie.Descriptor(),
		chronus.Descriptor(),
		unisched.Descriptor(),
		lucid.Descriptor(),
		packing.Descriptor(),
		sia.Descriptor(),
		sjf.Plus(),
		lucid.Plus(),
		sia.Plus(),
	}
}
