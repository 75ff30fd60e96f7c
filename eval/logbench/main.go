// Command logbench measures the reading of logs: how many lines a second one
// core decodes and classes, how long the progress of a job at the end of a very
// long stream takes, and what following thousands of growing files costs.
//
//	go run ./eval/logbench -binary ./schedmate
//
// CPU seconds are those of the process, user and system: wall times are noise
// on a machine that does other things.
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

func main() {
	binary := flag.String("binary", "./schedmate", "the program whose `track --follow` is measured")
	lines := flag.Int("lines", 3_000_000, "lines that the filter reads")
	gigabytes := flag.Float64("gigabytes", 10, "length of the stream whose tail is read")
	files := flag.Int("files", 2000, "files to follow")
	seconds := flag.Int("seconds", 30, "how long they are followed")
	flag.Parse()
	for _, measure := range []func() error{
		func() error { return filter(*lines) },
		func() error { return stream(int64(*gigabytes * 1e9)) },
		func() error { return followed(*binary, *files, time.Duration(*seconds)*time.Second) },
	} {
		if err := measure(); err != nil {
			fmt.Fprintln(os.Stderr, "logbench:", err)
			os.Exit(1)
		}
	}
}

// usage is the CPU time and the peak memory of this process so far.
func usage() (cpu time.Duration, peakMB float64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), float64(r.Maxrss) / 1024
}
