package cli

import (
	"runtime"
	"syscall"
	"time"

	"schedmate/eval"
)

// meter returns a meter of what a run costs. One run at a time is charged with
// all that the process uses, garbage collection included; of several at a time,
// each is charged with its own thread.
func meter(parallel int) func() func() eval.Cost {
	who := syscall.RUSAGE_SELF
	if parallel > 1 {
		who = rusageThread
	}
	return func() func() eval.Cost {
		runtime.LockOSThread()
		from, _ := usageOf(who)
		return func() eval.Cost {
			defer runtime.UnlockOSThread()
			to, peak := usageOf(who)
			return eval.Cost{CPUSeconds: (to - from).Seconds(), PeakRSSBytes: peak}
		}
	}
}

const rusageThread = 1 // RUSAGE_THREAD of getrusage(2)

func usageOf(who int) (cpu time.Duration, peakRSS int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic("BUG: getrusage: " + err.Error())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Maxrss * 1024
}
