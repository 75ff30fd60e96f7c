package milp_test

import "schedmate/scheduler/milp/milptest"

var (
	tiny     = milptest.Tiny
	chronus  = milptest.Chronus
	unisched = milptest.UniSched
)
