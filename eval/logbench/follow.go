package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"schedmate"
)

// followed measures `track --follow` on growing files as a process of its own:
// each file gets ten lines a second, written by this process.
func followed(binary string, files int, duration time.Duration) error {
	dir, err := os.MkdirTemp("", "logbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	logs := make([]*os.File, files)
	for i := range logs {
		if logs[i], err = os.Create(filepath.Join(dir, fmt.Sprintf("job-%04d.log", i))); err != nil {
			return err
		}
		defer logs[i].Close()
	}
	out, err := os.Create(filepath.Join(dir, "progress.jsonl"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(binary, "track", "--follow", "--jsonl", "--glob", filepath.Join(dir, "job-*.log"))
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.Env = append(os.Environ(), "SCHEDMATE_STATE="+dir)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w (run `make build` first)", binary, err)
	}
	lines := bytes.SplitAfter(sample(20_000), []byte{'\n'})
	const each = 5 // lines a turn, two turns a second
	turns := int(duration / (500 * time.Millisecond))
	var before, after time.Duration
	var measured time.Duration
	begin := time.Now()
	for turn := range turns {
		if turn == turns/3 { // past the start-up
			before, begin = processCPU(cmd.Process.Pid), time.Now()
		}
		due := time.Now().Add(500 * time.Millisecond)
		from := turn * each % (len(lines) - each)
		chunk := bytes.Join(lines[from:from+each], nil)
		for _, f := range logs {
			if _, err := f.Write(chunk); err != nil {
				return err
			}
		}
		time.Sleep(time.Until(due))
	}
	after, measured = processCPU(cmd.Process.Pid), time.Since(begin)
	peak := processPeakMB(cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	_ = cmd.Wait() // its exit code says that it was asked to end
	told, err := os.ReadFile(out.Name())
	if err != nil {
		return err
	}
	fmt.Printf("follow %d files at 10 lines/s each: %.2f cores, peak %.0f MB, %d reports\n",
		files, (after-before).Seconds()/measured.Seconds(), peak, bytes.Count(told, []byte{'\n'}))
	return nil
}

// processCPU is the CPU time of a process, from /proc.
func processCPU(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100)
}

// processPeakMB is the peak memory of a process, from /proc.
func processPeakMB(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, l := range strings.Split(string(data), "\n") {
		if kb, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")), 64)
			if err == nil {
				return n / 1024
			}
		}
	}
	return 0
}

func value(r *schedmate.Reading) any {
	if r == nil {
		return "missing"
	}
	return r.Value
}

func line(r *schedmate.Reading) int64 {
	if r == nil {
		return 0
	}
	return r.Line
}
