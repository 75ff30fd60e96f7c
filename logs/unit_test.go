package logs_test

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/logs"
)

func duration(seconds float64) logs.Unit { return logs.Unit{Kind: logs.UnitTime, Scale: seconds} }

func timePer(seconds, per float64, item string) logs.Unit {
	return logs.Unit{Kind: logs.UnitTimePer, Scale: seconds, Per: per, Item: item}
}

func perTime(perSecond float64, item string) logs.Unit {
	return logs.Unit{Kind: logs.UnitPerTime, Scale: perSecond, Item: item}
}

// A unit behind a number.
func TestParseUnit(t *testing.T) {
	f := func(word string, want logs.Unit) {
		t.Helper()
		if diff := cmp.Diff(want, logs.ParseUnit(word)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", word, diff)
		}
		if diff := cmp.Diff(want, logs.UnitOf([]byte(word))); diff != "" {
			t.Errorf("UnitOf(%q) is another (-want +got):\n%s", word, diff)
		}
	}
	f("s", duration(1))
	f(" Sec ", duration(1))
	f("ms", duration(1e-3))
	f("µs", duration(1e-6)) // U+00B5 micro sign
	f("μs", duration(1e-6)) // U+03BC Greek mu
	f("min", duration(60))
	f("h", duration(3600))
	f("days", duration(86400))
	f("秒", duration(1))
	f("分钟", duration(60))
	f("小时", duration(3600))
	f("Stunden", duration(3600))

	f("s/it", timePer(1, 1, "it"))
	f("ms/step", timePer(1e-3, 1, "step"))
	f("sec/iter", timePer(1, 1, "iter"))
	f("s / it", timePer(1, 1, "it"))
	f("s/100 iters", timePer(1, 100, "iters"))
	f("s per step", timePer(1, 1, "step"))
	f("秒/步", timePer(1, 1, "步"))
	f("min/epoch", timePer(60, 1, "epoch"))
	f("s/0 it", logs.Unit{}) // no time is for nothing

	f("it/s", perTime(1, "it"))
	f("/s", perTime(1, ""))
	f("/s/gpu", perTime(1, ""))
	f("samples/sec", perTime(1, "samples"))
	f("img/sec per GPU", perTime(1, "img"))
	f("steps/min", perTime(1.0/60, "steps"))
	f("epochs/h", perTime(1.0/3600, "epochs"))
	f("tokens per second", perTime(1, "tokens"))
	f("Schritte pro Sekunde", perTime(1, "schritte"))
	f("it/ms", perTime(1000, "it"))
	f("张/秒", perTime(1, "张"))

	f("GiB", logs.Unit{Kind: logs.UnitSize})
	f("GB", logs.Unit{Kind: logs.UnitSize})
	f("MB/s", logs.Unit{Kind: logs.UnitSizeRate})
	f("B/step", logs.Unit{Kind: logs.UnitSize})
	f("%", logs.Unit{Kind: logs.UnitOther})
	f("°C", logs.Unit{Kind: logs.UnitOther})
	f("MHz", logs.Unit{Kind: logs.UnitOther})

	f("", logs.Unit{})
	f("images", logs.Unit{})
	f("a/b", logs.Unit{})
	f("/", logs.Unit{})
	f("km/m", logs.Unit{}) // m for a minute stands behind no slash
	f(strings.Repeat("x", 100), logs.Unit{})
}

// A unit in the name of a number.
func TestUnitInName(t *testing.T) {
	f := func(name string, want logs.Unit) {
		t.Helper()
		if diff := cmp.Diff(want, logs.UnitInName(name)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
	f("memory(GiB)", logs.Unit{Kind: logs.UnitSize})
	f("elapsed time (ms)", duration(1e-3))
	f("elapsed time per iteration (ms)", timePer(1e-3, 1, "iteration"))
	f("elapsed time per iteration (s)", timePer(1, 1, "iteration"))
	f("train_speed(iter/s)", perTime(1, "iter"))
	f("latency [us]", duration(1e-6))

	f("ms/batch", timePer(1e-3, 1, "batch"))
	f("img/s", perTime(1, "img"))
	f("global_step/sec", perTime(1, "global_step"))
	f("speed img/s", perTime(1, "img"))
	f("train/loss", logs.Unit{})
	f("perf/steps_per_second", perTime(1, "steps"))

	f("steps_per_second", perTime(1, "steps"))
	f("eval_samples_per_second", perTime(1, "samples"))
	f("CurrSamplesPerSec", perTime(1, "samples"))
	f("tokens per sec", perTime(1, "tokens"))
	f("time per step", timePer(1, 1, "step"))
	f("seconds per iteration", timePer(1, 1, "iteration"))
	f("Zeit pro Schritt", timePer(1, 1, "schritt"))
	f("batch per gpu", logs.Unit{})

	f("step_time_ms", duration(1e-3))
	f("elapsed_seconds", duration(1))
	f("wall_s", duration(1))
	f("time_min", duration(60))
	f("elapsed_min", duration(60))
	f("reward_min", logs.Unit{}) // the least
	f("min", logs.Unit{})
	f("memory per rank (min/avg/max)", logs.Unit{})
	f("mem_gb", logs.Unit{Kind: logs.UnitSize})
	f("seconds", duration(1))
	f("loss", logs.Unit{})
	f("s", logs.Unit{})
	f("", logs.Unit{})
	f("(", logs.Unit{})
	f("()", logs.Unit{})
}

func TestWords(t *testing.T) {
	f := func(name string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, logs.Words(name)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
	f("CurrSamplesPerSec (ms)", "curr", "samples", "per", "sec", "ms")
	f("train_loss_step2", "train", "loss", "step")
	f("valLoss/ДляEpoch", "val", "loss", "для", "epoch")
	f("学习率 lr", "学习率", "lr")
	f("GPU0 mIoU", "gpu", "m", "io", "u") // each capital behind a small letter begins a word
	f("12.5")
	f("")
}

// Property: words are letters in lower case, in the order of the name.
func TestWordsAreOfTheName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		var letters []rune
		for _, r := range name {
			if unicode.IsLetter(r) {
				letters = append(letters, unicode.ToLower(r))
			}
		}
		if got := strings.Join(logs.Words(name), ""); got != string(letters) {
			t.Fatalf("%q has the words %q, want the letters %q", name, logs.Words(name), string(letters))
		}
	})
}

// Property: a unit is the same whatever was asked before it, in any case of
// letters, and its scales can be divided by.
func TestUnitsAreStable(t *testing.T) {
	part := rapid.SampledFrom([]string{"s", "ms", "it", "step", "/", " / ", "100", " ", "GB", "sec", "per", " per ", "秒", "每", "%", "m", "h", "x"})
	rapid.Check(t, func(t *rapid.T) {
		word := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "")
		u := logs.ParseUnit(word)
		if diff := cmp.Diff(u, logs.UnitOf([]byte(word))); diff != "" {
			t.Fatalf("%q (-parsed +remembered):\n%s", word, diff)
		}
		if diff := cmp.Diff(u, logs.ParseUnit(strings.ToUpper(word))); diff != "" {
			t.Fatalf("%q in capitals (-want +got):\n%s", word, diff)
		}
		checkUnit(t, word, u)
	})
}

// checkUnit tells whether what a unit says can be calculated with.
func checkUnit(t interface{ Fatalf(string, ...any) }, word string, u logs.Unit) {
	usable := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	switch u.Kind {
	case logs.UnitTime, logs.UnitPerTime:
		if !usable(u.Scale) || u.Per != 0 {
			t.Fatalf("%q has the scale %v and is per %v", word, u.Scale, u.Per)
		}
	case logs.UnitTimePer:
		if !usable(u.Scale) || !usable(u.Per) {
			t.Fatalf("%q has the scale %v and is per %v", word, u.Scale, u.Per)
		}
	default:
		if u.Scale != 0 || u.Per != 0 || u.Item != "" {
			t.Fatalf("%q is no time, but has the scale %v, per %v, item %q", word, u.Scale, u.Per, u.Item)
		}
	}
}
