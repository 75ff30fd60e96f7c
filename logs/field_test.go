package logs_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"schedmate/logs"
)

// Each file in testdata/fields has lines of logs and the numbers a person reads
// in them: name, value, form, unit.
func TestFieldStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/fields/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd != "fields" {
					d.Fatalf(t, "unknown command %q, use fields", d.Cmd)
				}
				var out strings.Builder
				for line := range strings.SplitSeq(d.Input, "\n") {
					out.WriteString("> " + line + "\n" + describeFields(line))
				}
				return out.String()
			})
		})
	}
}

func fieldsOf(line string) []logs.Field {
	stamp, _ := logs.FindStamp([]byte(line))
	return logs.Fields(nil, []byte(line), stamp)
}

func describeFields(line string) string {
	var out strings.Builder
	for _, f := range fieldsOf(line) {
		name := line[f.KeyStart:f.KeyEnd]
		if name == "" {
			name = fmt.Sprintf("+%d", f.Ordinal)
		}
		fmt.Fprintf(&out, "%s = %s", name, strconv.FormatFloat(f.Value, 'g', 12, 64))
		if kind := map[logs.FieldKind]string{logs.Percent: "percent", logs.Duration: "duration", logs.Part: "part", logs.Whole: "whole"}[f.Kind]; kind != "" {
			out.WriteString(" " + kind)
		}
		if unit := strings.TrimSpace(line[f.End:f.UnitEnd]); unit != "" && f.Kind != logs.Percent {
			out.WriteString(" [" + unit + "]")
		}
		out.WriteString("\n")
	}
	return out.String()
}

// A log tells as a whole what a comma stands for. These lines alone do not say
// whether 1,730 is less than two; once three others have shown it, they are read
// so, and only then.
func TestCommasAreReadAsTheLogWritesThem(t *testing.T) {
	for _, log := range []struct {
		name  string
		lines []string
		want  float64
	}{
		{"decimals behind commas elsewhere", []string{"valeur 0,25", "valeur 3,4", "valeur 12,75", "perte 1,730"}, 1.73},
		{"a total of five digits without a mark", []string{"12/20000 perte 3,444", "13/20000 perte 3,210", "14/20000 perte 3,105", "perte 1,730"}, 1.73},
		{"decimals behind points elsewhere", []string{"gpus 0,1", "gpus 2,3", "gpus 4,5", "rate 0.25", "rate 0.35", "rate 0.45", "images 1,730"}, 1730},
		{"nothing else", []string{"images 1,250", "images 1,730"}, 1730},
	} {
		var notation logs.Notation
		var last []logs.Field
		for _, line := range log.lines {
			last = logs.FieldsIn(nil, []byte(line), logs.Stamp{}, &notation)
		}
		if got := last[len(last)-1].Value; got != log.want {
			t.Errorf("%s: the last number of %q is %v, want %v", log.name, log.lines, got, log.want)
		}
	}
}

// Property: a number printed between words is read back, under the name before
// it, whatever style it is printed in.
func TestNumbersAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e9, 1e9).Draw(t, "value")
		var printed string
		switch rapid.SampledFrom([]string{"%f", "%e", "%d", "%.2f", "1,234"}).Draw(t, "style") {
		case "%f":
			printed = strconv.FormatFloat(v, 'f', 9, 64)
		case "%e":
			printed = strconv.FormatFloat(v, 'e', 6, 64)
		case "%.2f":
			printed = strconv.FormatFloat(v, 'f', 2, 64)
		case "%d":
			printed = strconv.FormatInt(int64(v), 10)
		case "1,234":
			printed = thousands(int64(math.Abs(v)))
		}
		want, err := strconv.ParseFloat(strings.ReplaceAll(printed, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"loss", "lr", "grad norm", "train_loss", "损失"}).Draw(t, "name")
		join := rapid.SampledFrom([]string{" ", ": ", "=", " = ", ":", " | "}).Draw(t, "join")
		before := rapid.SampledFrom([]string{"", "2024-05-01 10:00:01,250 - ", "epoch 3, ", "epoch 3; ", "[INFO] "}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", ", acc 0.5", "; acc: 0.5", " | acc 0.5", " acc=0.5"}).Draw(t, "after")
		line := before + name + join + printed + after
		for _, f := range fieldsOf(line) {
			if line[f.KeyStart:f.KeyEnd] == name {
				if f.Value != want || f.Kind != logs.Plain || line[f.Start:f.End] != printed {
					t.Fatalf("%q: %s is %v (%v, printed %q), want %v", line, name, f.Value, f.Kind, line[f.Start:f.End], want)
				}
				return
			}
		}
		t.Fatalf("%q: no number named %q in\n%s", line, name, describeFields(line))
	})
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Property: a duration is read back in seconds in every style.
func TestDurationsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.IntRange(60, 99*3600).Draw(t, "seconds")
		h, m, sec := s/3600, s/60%60, s%60
		line := "elapsed " + rapid.SampledFrom([]string{
			fmt.Sprintf("%d:%02d:%02d", h, m, sec),
			fmt.Sprintf("%dh%dm%ds", h, m, sec),
			fmt.Sprintf("%dh %dm %ds", h, m, sec),
			fmt.Sprintf("%d hours, %d minutes and %d seconds", h, m, sec),
			fmt.Sprintf("%d min %d sec", s/60, sec),
			fmt.Sprintf("%d day, %d:%02d:%02d", s/86400, s%86400/3600, m, sec),
			fmt.Sprintf("%d小时%d分%d秒", h, m, sec),
		}).Draw(t, "printed") + rapid.SampledFrom([]string{"", ", loss 0.5", " | loss 0.5", " loss 0.5"}).Draw(t, "after")
		for _, f := range fieldsOf(line) {
			if f.Kind == logs.Duration && line[f.KeyStart:f.KeyEnd] == "elapsed" {
				if f.Value != float64(s) {
					t.Fatalf("%q is %v s, want %d s", line, f.Value, s)
				}
				return
			}
		}
		t.Fatalf("%q: no duration in\n%s", line, describeFields(line))
	})
}
