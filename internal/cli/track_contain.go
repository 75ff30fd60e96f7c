package cli

import (
	"fmt"
	"runtime"
	"strings"
)

// contained runs work on one log and turns a panic into an error: a log that
// meets a mistake in this program must not end the tracking of all others.
func contained(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("BUG: %v at %s; please report it with the log", p, panicPlace())
		}
	}()
	return work()
}

// panicPlace returns file and line of the innermost function of ours below a
// panic that is being recovered.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "schedmate/") {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
