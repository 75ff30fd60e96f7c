//go:build unix

package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const writerFolder = "FOLLOW_TEST_WRITER_FOLDER" // makes the test binary a writer

func TestMain(m *testing.M) {
	if folder := os.Getenv(writerFolder); folder != "" {
		if err := writeLines(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

const (
	benchFiles          = 2000
	benchFilesPerFolder = 100
	benchLinesPerSecond = 10
)

func benchPath(folder string, i int) string {
	return filepath.Join(folder, fmt.Sprintf("job%02d", i/benchFilesPerFolder), fmt.Sprintf("rank%02d.log", i%benchFilesPerFolder))
}

func benchLine(step int) []byte {
	return fmt.Appendf(nil, "2025-03-01 09:00:00,123 INFO step %d/100000 loss %.4f lr 3.0e-4 grad_norm 0.713 412.6 ms/step\n", step, 2.5/float64(step+1))
}

func openBenchFiles(folder string) ([]*os.File, error) {
	files := make([]*os.File, benchFiles)
	for i := range files {
		path := benchPath(folder, i)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		var err error
		if files[i], err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// writeLines writes as many lines a second as the benchmark asks for, evenly
// over the second, until it is killed or its parent is gone.
func writeLines(folder string) error {
	files, err := openBenchFiles(folder)
	if err != nil {
		return err
	}
	const slices = 50 // a second
	perSlice := benchFiles * benchLinesPerSecond / slices
	tick := time.NewTicker(time.Second / slices)
	defer tick.Stop()
	for n := 0; ; {
		<-tick.C
		if os.Getppid() == 1 {
			return nil
		}
		for range perSlice {
			if _, err := files[n%benchFiles].Write(benchLine(n / benchFiles)); err != nil {
				return err
			}
			n++
		}
	}
}

// One look at 2,000 files of which each has got two lines: what happens five
// times a second at ten lines a second.
func BenchmarkRound_N2000_L2(b *testing.B) {
	for _, c := range []struct {
		name string
		open int
		poll bool
	}{{"open", 4000, false}, {"reopened", 100, false}, {"polled", 4000, true}} {
		b.Run(c.name, func(b *testing.B) {
			folder := b.TempDir()
			files, err := openBenchFiles(folder)
			if err != nil {
				b.Fatal(err)
			}
			f, err := New(Options{Globs: []string{filepath.Join(folder, "*", "*.log")}, MaxOpen: c.open})
			if err != nil {
				b.Fatal(err)
			}
			lines := 0
			end, err := f.start(func(c Chunk) error { lines += bytes.Count(c.Data, []byte("\n")); return nil }, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer end()
			if !c.poll {
				f.notices = silence{}
			}
			step, used := 0, time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				for _, file := range files {
					if _, err := file.Write(append(benchLine(step), benchLine(step+1)...)); err != nil {
						b.Fatal(err)
					}
				}
				step += 2
				for _, p := range f.files {
					p.dirty = true
				}
				from := cpu()
				b.StartTimer()
				for more := true; more; {
					if more, err = f.round(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				used += cpu() - from
			}
			if lines != step*benchFiles {
				b.Fatalf("%d lines delivered of %d", lines, step*benchFiles)
			}
			b.ReportMetric(float64(used.Microseconds())/float64(b.N*benchFiles), "cpu-us/file")
		})
	}
}

// The share of one core that following 2,000 files takes at ten lines a second
// each, while another process writes them; each op is one second.
func BenchmarkRun_N2000_L10(b *testing.B) {
	for _, poll := range []bool{false, true} {
		b.Run(map[bool]string{false: "watched", true: "polled"}[poll], func(b *testing.B) {
			folder := b.TempDir()
			writer := exec.Command(os.Args[0])
			writer.Env = append(os.Environ(), writerFolder+"="+folder)
			writer.Stderr = os.Stderr
			if err := writer.Start(); err != nil {
				b.Fatal(err)
			}
			defer func() { _, _ = writer.Process.Kill(), writer.Wait() }()
			f, err := New(Options{Globs: []string{filepath.Join(folder, "*", "*.log")}, PollOnly: poll})
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			lines, chunks, rounds := 0, 0, 0
			from, since := time.Duration(0), time.Time{}
			seconds := float64(max(b.N, 5))
			f.opts.EndRound = func() error {
				if len(f.files) < benchFiles {
					return nil
				}
				if rounds++; since.IsZero() {
					from, since, lines, chunks = cpu(), time.Now(), 0, 0
				}
				if time.Since(since).Seconds() > seconds {
					cancel()
				}
				return nil
			}
			err = f.Run(ctx, func(c Chunk) error {
				lines += bytes.Count(c.Data, []byte("\n"))
				chunks++
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				b.Fatal(err)
			}
			took := time.Since(since).Seconds()
			b.ReportMetric((cpu()-from).Seconds()/took, "cores")
			b.ReportMetric(float64(lines)/took, "lines/s")
			b.ReportMetric(float64(lines)/float64(chunks), "lines/chunk")
			b.ReportMetric(float64(rounds)/took, "rounds/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cpu returns the time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("BUG: getrusage: " + err.Error())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
