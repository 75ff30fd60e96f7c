package cli

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"schedmate/eval"
)

// meter returns a meter of what a run costs. One run at a time is charged with
// all that the process uses, garbage collection included; of several at a time,
// each is charged with its own thread. The second function reads the same clock.
func meter(parallel int) (func() func() *eval.Cost, func() time.Duration) {
	clock := int32(unix.CLOCK_PROCESS_CPUTIME_ID)
	if parallel > 1 {
		clock = unix.CLOCK_THREAD_CPUTIME_ID
	}
	read := func() time.Duration { return cpuTime(clock) }
	return func() func() *eval.Cost {
		runtime.LockOSThread()
		from := cpuTime(clock)
		return func() *eval.Cost {
			defer runtime.UnlockOSThread()
			return &eval.Cost{CPUSeconds: (cpuTime(clock) - from).Seconds(), PeakRSSBytes: peakRSS()}
		}
	}, read
}

func cpuTime(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic("BUG: clock_gettime: " + err.Error())
	}
	return time.Duration(t.Nano())
}

func peakRSS() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic("BUG: getrusage: " + err.Error())
	}
	return u.Maxrss * 1024
}
