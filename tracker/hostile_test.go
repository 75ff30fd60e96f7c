package tracker_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"schedmate"
	"schedmate/tracker"
)

// follow writes lines to a state with the limits of a followed log.
func follow(t *testing.T, lines func(write func(format string, args ...any))) (*tracker.State, schedmate.Progress) {
	t.Helper()
	s := tracker.New(tracker.FollowLimits)
	lines(func(format string, args ...any) { s.Write(fmt.Appendf(nil, format+"\n", args...), 0) })
	p, _ := s.Progress()
	if err := p.Validate("progress"); err != nil {
		t.Error(err)
	}
	limits := tracker.FollowLimits
	if f, r, c := s.Kept(); f > limits.Families || r > limits.History || c > limits.Columns {
		t.Errorf("kept %d families, %d records, %d columns; the limits are %+v", f, r, c, limits)
	}
	return s, p
}

// A training is followed through 100,000 lines each of which has another shape.
func TestEveryLineHasAnotherShape(t *testing.T) {
	_, p := follow(t, func(write func(string, ...any)) {
		for i := range 100_000 {
			write("%s %d happened", word(i), i%7)
			if i%100 == 99 {
				write("step %d loss %.4f", i/100+1, 2+1/float64(i+1)+float64(i*7919%100)/1000)
			}
		}
	})
	if value(p.Step) != 1000 {
		t.Errorf("the last step is 1000, read %g", value(p.Step))
	}
}

// word spells a number with letters: no two have the same.
func word(i int) string {
	var b strings.Builder
	for ; i > 0 || b.Len() == 0; i /= 26 {
		b.WriteByte(byte('a' + i%26))
	}
	return b.String() + "q"
}

// Numbers that are none, or beyond all bounds, in every place of a record.
func TestNumbersBeyondAllBounds(t *testing.T) {
	for _, n := range numbers {
		for _, line := range []string{
			"step %[1]d loss %[2]s", "step %[2]s loss 2.%[1]d", "%[2]s/%[2]s loss 2.%[1]d", "step %[1]d/%[2]s loss 2.%[1]d",
			"step %[1]d loss 2.%[1]d lr %[2]s", "step %[1]d loss 2.%[1]d time %[2]s", "step %[1]d loss 2.%[1]d %[2]s it/s", "step %[1]d loss 2.%[1]d %[2]s ms/step",
			"step %[1]d loss 2.%[1]d elapsed %[2]ss eta %[2]s", "epoch %[2]s step %[1]d loss 2.%[1]d", "%[2]s%% step %[1]d loss 2.%[1]d", "step %[1]d loss 2.%[1]d val_loss %[2]s throughput %[2]s samples/s",
			"2024-03-01 10:00:0%[1]d step %[1]d loss 2.%[1]d x %[2]s",
		} {
			follow(t, func(write func(string, ...any)) {
				for i := range 8 {
					write(line, i+1, n)
				}
			})
			follow(t, func(write func(string, ...any)) { // once among ordinary ones
				for i := range 9 {
					x := "0.5"
					if i == 6 {
						x = n
					}
					write(line, i+1, x)
				}
			})
		}
	}
}

func TestTablesOfTenThousandColumns(t *testing.T) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = word(i)
	}
	follow(t, func(write func(string, ...any)) {
		write("%s", strings.Join(names, "\t"))
		for i := range 20 {
			write("%d%s", i, strings.Repeat(fmt.Sprintf("\t%d.5", i), 9_999))
		}
	})
	_, p := follow(t, func(write func(string, ...any)) { // each number has a name
		for i := range 20 {
			var b strings.Builder
			fmt.Fprintf(&b, "step=%d loss=%.3f", i+1, 2+1/float64(i+1))
			for _, n := range names {
				fmt.Fprintf(&b, " %s=%d.5", n, i)
			}
			write("%s", b.String())
		}
	})
	if value(p.Step) != 20 {
		t.Errorf("the last step is 20, read %g", value(p.Step))
	}
}

// Stamps that run backwards, stand still or jump by years tell no time; the
// step is read all the same.
func TestStampsThatTellNoTime(t *testing.T) {
	for what, stamp := range map[string]func(i int) string{
		"backwards": func(i int) string { return fmt.Sprintf("2024-03-01 10:%02d:00.000", 59-i) },
		"still":     func(int) string { return "2024-03-01 10:00:00.000" },
		"by years":  func(i int) string { return fmt.Sprintf("%04d-03-01 10:00:00.000", 2024+(i%3-1)*900) },
	} {
		_, p := follow(t, func(write func(string, ...any)) {
			for i := range 50 {
				write("%s step %d loss %.3f", stamp(i), 10*i+10, 2+1/float64(i+1))
			}
		})
		if value(p.Step) != 500 {
			t.Errorf("%s: the last step is 500, read %g", what, value(p.Step))
		}
		if what != "by years" && p.StepTime != nil {
			t.Errorf("%s: a step time of %g s", what, p.StepTime.Value)
		}
	}
}

// Counters below zero or beyond what a float64 counts (2^53) are no counters.
func TestCountersNobodyCanCount(t *testing.T) {
	for what, step := range map[string]func(i int) string{
		"below zero":  func(i int) string { return fmt.Sprint(i - 100) },
		"beyond 2^53": func(i int) string { return fmt.Sprint(9007199254740993 + 2*i) },
		"of 18 nines": func(i int) string { return fmt.Sprint(999999999999999000 + i) },
		"downwards":   func(i int) string { return fmt.Sprint(1000 - i) },
	} {
		_, p := follow(t, func(write func(string, ...any)) {
			for i := range 50 {
				write("step %s loss %.3f", step(i), 2+1/float64(i+1))
			}
		})
		if p.Step != nil {
			t.Errorf("%s: read step %g", what, p.Step.Value)
		}
	}
}

// Bytes without any sense: no panic, and nothing is read.
func TestBytesWithoutSense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 15 {
		noise := make([]byte, 50_000)
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		s := tracker.New(tracker.FollowLimits)
		s.Write(noise, 0)
		if p, _ := s.Progress(); p.Trackable {
			t.Errorf("noise tells %s", listing(&p))
		}
	}
}

// One of thousands of logs followed at once keeps less than 300 kB, after
// 100,000 lines of training with all that stands in between.
func TestMemoryOfAFollowedLog(t *testing.T) {
	states, lines := int64(2), 100_000
	if tracker.UnderRaceDetector {
		states, lines = 1, 20_000
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := make([]*tracker.State, states)
	log := []byte(busyLog(lines))
	for i := range kept {
		kept[i] = tracker.New(tracker.FollowLimits)
		for rest := log; len(rest) > 0; {
			n := min(len(rest), 32<<10)
			kept[i].Write(rest[:n], 0)
			rest = rest[n:]
		}
		if p, _ := kept[i].Progress(); value(p.Step) != float64(lines/4*10) {
			t.Fatalf("the last step is %d, read %g", lines/4*10, value(p.Step))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc) - int64(len(log))) / states
	t.Logf("%d kB a log", each/1000)
	if each > 300_000 {
		t.Errorf("a followed log keeps %d bytes, more than 300 kB", each)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(log)
}

// busyLog is a training that prints much: a record of many numbers every fourth
// line, bars, warnings, and lines of shapes that come once.
func busyLog(lines int) string {
	var b strings.Builder
	for i := range lines / 4 {
		fmt.Fprintf(&b, "2024-03-%02d %02d:%02d:%02d,%03d INFO [trainer.py:211] step %d/1000000 | loss %.4f | grad_norm %.3f | lr %.6f | tokens/s %d | mem %.1fGB | step_time %.3fs | mfu %.2f%%\n",
			1+i/86400, i/3600%24, i/60%60, i%60, i*7%1000, 10*i+10, 2+1/float64(i+1)+float64(i*7919%100)/1000, 1+float64(i%17)/10, 3e-4, 41000+i%900, 61.5, 0.1+float64(i%10)/1000, 48.5)
		fmt.Fprintf(&b, "%3d%%|####      | %d/1000000 [%02d:%02d<10:00, %.2fit/s]\n", i/1000, 10*i+10, i/60, i%60, 9.5)
		fmt.Fprintf(&b, "[W socket.cpp:%d] [c10d] The client socket has timed out after %ds\n", 600+i%40, 900)
		fmt.Fprintf(&b, "%s took %d ms\n", word(i), i%500)
	}
	return b.String()
}
