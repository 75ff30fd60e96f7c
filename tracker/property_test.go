package tracker_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/logs/series"
	"schedmate/tracker"
)

// stamped are templates whose only clock is the stamp of the line.
var stamped = []string{
	"{stamp:2006-01-02 15:04:05.000000} step {step} loss {loss}",
	"{stamp:2006-01-02 15:04:05,000} INFO trainer: epoch {epoch} step {step} loss={loss} lr={lr:%.3e}",
	"[{stamp:2006-01-02 15:04:05.000000}] iter {step}/{total} | loss {loss} | acc {acc}",
	"{stamp:2006-01-02T15:04:05.000000Z} stdout F batch {step} of {total}, loss: {loss}",
	`{"time": "{stamp:2006-01-02T15:04:05.000000Z}", "step": {step}, "train_loss": {loss}}`,
	"{stamp:2006/01/02 15:04:05.000000} {step}/{total} loss: {loss}\neach 7 | {stamp:2006/01/02 15:04:05.000000} validation accuracy {acc}",
}

// printed are templates with a clock or a time of another kind.
var printed = []string{
	"step {step} loss {loss} {ms:%.2f} ms/step",
	"bar | {percent:%3.0f}%|### | {step}/{total} [{elapsed:hms}<{eta:hms}, {pace}, loss={loss:%.3f}]",
	"epoch | Epoch {epoch}/{epochs}\nepoch end | \nbar | {of_epoch}/{per_epoch} [===>...] - loss: {loss} - {ms:%.0f}ms/step",
	"iteration {step}\n  loss {loss}\n  elapsed {elapsed:%.2f}s",
	"head | step\tloss\tlr\tsec_per_step\n{step}\t{loss}\t{lr:%.6f}\t{step_time:%.4f}",
	"{epoch},{step},{loss},{acc}",
	"[rank0]: step {step} loss {loss}\n[rank1]: step {step} loss {loss}",
	"步数 {step} 损失 {loss} 用时 {step_time:%.5f} 秒",
}

// noise are lines that have nothing to do with the run.
var noise = []string{
	"/opt/lib/python3.11/site-packages/torch/nn/modules/conv.py:456: UserWarning: Plan failed with an error",
	"node07 kernel: eth0: link is up, 100000 Mbps",
	"INFO cleaning up temporary folder",
	"[W socket.cpp:663] [c10d] The client socket has timed out after 900s",
	"Traceback (most recent call last):",
	"    self.queue.put(item, timeout=5)",
	"",
	"free disk: 812.3GB",
	"GC: collected 1203 objects",
}

func drawRecipe(t *rapid.T) recipe {
	every := rapid.SampledFrom([]int{1, 5, 10, 50}).Draw(t, "steps between records")
	records := rapid.IntRange(20, 150).Draw(t, "records")
	return recipe{
		records: records, every: every, first: every, total: every * records * rapid.IntRange(2, 9).Draw(t, "length"),
		perEpoch: every * rapid.IntRange(10, 40).Draw(t, "records of an epoch"), batch: 32,
		stepTime: math.Pow(10, rapid.Float64Range(-1.3, 1.3).Draw(t, "log10 of the step time")),
		jitter:   rapid.Float64Range(0, 0.06).Draw(t, "jitter"),
		start:    time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC), seed: rapid.Uint64().Draw(t, "seed"),
	}
}

func (r recipe) mustPrint(t *rapid.T, template string) string {
	pieces, err := r.print(template)
	if err != nil {
		t.Fatal(err)
	}
	return text(pieces)
}

func read(log string) schedmate.Progress {
	s := tracker.New(series.DefaultLimits)
	s.Write([]byte(log), 0)
	p, _ := s.Progress()
	return p
}

// The answer does not depend on how the bytes were cut into writes.
func TestCutsDoNotMatter(t *testing.T) {
	templates := append(stamped[:len(stamped):len(stamped)], printed...)
	rapid.Check(t, func(t *rapid.T) {
		log := drawRecipe(t).mustPrint(t, rapid.SampledFrom(templates).Draw(t, "template"))
		log = log[:rapid.IntRange(len(log)/2, len(log)).Draw(t, "length of the log")]
		s := tracker.New(series.DefaultLimits)
		for rest := []byte(log); len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 300).Draw(t, "write"))
			s.Write(rest[:n], 0)
			rest = rest[n:]
		}
		parts, _ := s.Progress()
		if whole := read(log); !cmp.Equal(whole, parts) {
			t.Fatalf("as a whole and in parts:\n%s", cmp.Diff(whole, parts))
		}
	})
}

// Asking for the progress in between changes no step and no step time.
func TestAskingDoesNotMatter(t *testing.T) {
	templates := append(stamped[:len(stamped):len(stamped)], printed...)
	rapid.Check(t, func(t *rapid.T) {
		log := drawRecipe(t).mustPrint(t, rapid.SampledFrom(templates).Draw(t, "template"))
		limits := series.Limits{Families: 16, Columns: 16, History: rapid.IntRange(30, 200).Draw(t, "history")}
		quiet, asked := tracker.New(limits), tracker.New(limits)
		quiet.Write([]byte(log), 0)
		for rest := []byte(log); len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 1000).Draw(t, "write"))
			asked.Write(rest[:n], 0)
			asked.Progress()
			rest = rest[n:]
		}
		want, _ := quiet.Progress()
		got, _ := asked.Progress()
		if diff := cmp.Diff(value(want.Step), value(got.Step)) + cmp.Diff(value(want.StepTime), value(got.StepTime)) + cmp.Diff(value(want.Loss), value(got.Loss)); diff != "" {
			t.Fatalf("not asked and asked in between:\n%s", diff)
		}
	})
}

func value(r *schedmate.Reading) float64 {
	if r == nil {
		return -1
	}
	return r.Value
}

// The step is the one printed last, and the step time that of the run.
func TestTruthIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, template := drawRecipe(t), rapid.SampledFrom(stamped).Draw(t, "template")
		p := read(r.mustPrint(t, template))
		last := r.moments()[r.records-1]
		for name, got := range map[string]*schedmate.Reading{"step": p.Step, "total": p.TotalSteps, "epoch": p.Epoch, "loss": p.Loss, "lr": p.LearningRate} {
			want, _ := r.value(name, last)
			if !strings.Contains(template, "{"+name) {
				if got != nil {
					t.Fatalf("nobody printed %s, read %g from %q", name, got.Value, got.Name)
				}
			} else if math.Abs(value(got)-want) > 1e-4+1e-3*want {
				t.Fatalf("%s is %g, read %g", name, want, value(got))
			}
		}
		if got := value(p.StepTime); math.Abs(got/r.stepTime-1) > 0.01+3*r.jitter {
			t.Fatalf("a step takes %g s, read %g", r.stepTime, got)
		}
		if p.Slowdown != nil {
			t.Fatalf("a steady run is said to be slower: %+v", *p.Slowdown)
		}
	})
}

// After a restart the latest step counts, not the largest.
func TestLatestNotLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecipe(t)
		r.resumeAt = rapid.IntRange(10, r.records-1).Draw(t, "restart at")
		r.resumeTo = r.every * rapid.IntRange(1, r.resumeAt).Draw(t, "back to")
		p := read(r.mustPrint(t, rapid.SampledFrom(stamped).Draw(t, "template")))
		moments := r.moments()
		if want := float64(moments[len(moments)-1].step); value(p.Step) != want {
			t.Fatalf("the last step is %g, read %g", want, value(p.Step))
		}
	})
}

// Shifting all stamps by a constant changes nothing.
func TestShiftedStamps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, template := drawRecipe(t), rapid.SampledFrom(stamped).Draw(t, "template")
		shifted := r
		shifted.start = r.start.Add(time.Duration(rapid.Int64Range(-3e8, 3e8).Draw(t, "seconds")) * time.Second)
		if x, y := read(r.mustPrint(t, template)), read(shifted.mustPrint(t, template)); !cmp.Equal(x, y) {
			t.Fatalf("after a shift of %v:\n%s", shifted.start.Sub(r.start), cmp.Diff(x, y))
		}
	})
}

// Where all stamps' differences are k times as long, so is the step time.
func TestScaledStamps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, template := drawRecipe(t), rapid.SampledFrom(stamped).Draw(t, "template")
		k := rapid.Float64Range(0.25, 16).Draw(t, "k")
		scaled := r
		scaled.stepTime *= k
		x, y := value(read(r.mustPrint(t, template)).StepTime), value(read(scaled.mustPrint(t, template)).StepTime)
		if tolerance := 2e-3 / math.Min(1, k) / (r.stepTime * float64(r.every)); math.Abs(y/x/k-1) > tolerance {
			t.Fatalf("%g s became %g s, not %g s", x, y, x*k)
		}
	})
}

// Unrelated lines between the records change neither step nor step time.
func TestNoiseBetweenRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawRecipe(t).mustPrint(t, rapid.SampledFrom(stamped).Draw(t, "template"))
		var noisy strings.Builder
		for line := range strings.Lines(log) {
			noisy.WriteString(line)
			for range rapid.IntRange(0, 3).Draw(t, "noise") {
				noisy.WriteString(rapid.SampledFrom(noise).Draw(t, "line") + "\n")
			}
		}
		x, y := read(log), read(noisy.String())
		if value(x.Step) != value(y.Step) || value(x.StepTime) != value(y.StepTime) {
			t.Fatalf("step %g and %g s became %g and %g s", value(x.Step), value(x.StepTime), value(y.Step), value(y.StepTime))
		}
	})
}

// Printed times, whatever their unit: the step is the one printed last, and the
// step time that of the run, up to the digits printed.
func TestTruthOfPrintedTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecipe(t)
		r.jitter = max(r.jitter, 0.005) // a time that never changes is a setting
		template := rapid.SampledFrom([]string{printed[0], printed[1], printed[2], printed[3], printed[4], printed[7]}).Draw(t, "template")
		p := read(r.mustPrint(t, template))
		moments := r.moments()
		want, _ := r.value("step", moments[len(moments)-1])
		if strings.Contains(template, "{of_epoch}") {
			want, _ = r.value("of_epoch", moments[len(moments)-1])
		}
		if value(p.Step) != want {
			t.Fatalf("the last step is %g, read %g", want, value(p.Step))
		}
		if got := value(p.StepTime); math.Abs(got/r.stepTime-1) > 0.02+3*r.jitter+0.0006/r.stepTime {
			t.Fatalf("a step takes %g s, read %g", r.stepTime, got)
		}
		if p.Slowdown != nil {
			t.Fatalf("a steady run is said to be slower: %+v", *p.Slowdown)
		}
	})
}
