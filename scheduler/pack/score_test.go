package pack

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"schedmate"
)

// Lucid's labels (ASPLOS'23, section 4.2): the mean speed of those beside a job, from
// 0.95 on tiny, from 0.85 on medium, below jumbo.
func TestScoreOfTheMeanSpeed(t *testing.T) {
	for _, c := range []struct {
		speeds []int
		want   Score
	}{
		{[]int{950}, Tiny},
		{[]int{1000, 899}, Medium}, // 949.5
		{[]int{850, 850, 850}, Medium},
		{[]int{850, 850, 849}, Jumbo},
		{[]int{1200, 500}, Medium}, // 850: one that is helped makes up for one that is not
	} {
		if got, ok := ScoreOf(c.speeds); !ok || got != c.want {
			t.Errorf("beside speeds of %v: %d, want %d", c.speeds, got, c.want)
		}
	}
	if _, ok := ScoreOf(nil); ok {
		t.Error("a configuration that was measured beside nobody has a score")
	}
}

// What one of the three figures shows is enough, and each limit belongs to the
// heavier side.
func TestScoreOfUse(t *testing.T) {
	for _, c := range []struct {
		use  Use
		want Score
	}{
		{Use{}, Tiny},
		{Use{GPU: 249, Memory: 334, MiB: 10_999}, Tiny},
		{Use{GPU: 250}, Medium},
		{Use{GPU: 599, Memory: 334, MiB: 10_999}, Medium},
		{Use{GPU: 600}, Jumbo},
		{Use{Memory: 335}, Jumbo},
		{Use{MiB: 11_000}, Jumbo},
	} {
		if got := c.use.Score(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.use, got, c.want)
		}
	}
}

// The comment of the limits says how many of Lucid's 66 configurations they give
// their label, and that no Jumbo is taken for Tiny, nor Tiny for Jumbo. The limits
// were read off the same table, so this is what they hold of it, not how well they
// foretell others.
func TestLimitsOnLucidsConfigurations(t *testing.T) {
	folder := os.Getenv("SCHEDMATE_DATA")
	if folder == "" {
		t.Skip("needs lucid/single_job_profile.csv.gz of the optional data folder: set SCHEDMATE_DATA")
	}
	f, err := os.Open(filepath.Join(folder, "lucid", "single_job_profile.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[name] = i
	}
	number := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[column[name]], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var given [3][3]int // by label, by rule
	right := 0
	for _, row := range rows[1:] {
		use := Use{
			GPU:    int64(math.Round(10 * number(row, "gpu_util"))), // per cent
			Memory: int64(math.Round(10 * number(row, "gmem_util"))),
			MiB:    int64(math.Round(number(row, "gmem"))),
		}
		label := Score(number(row, "label"))
		given[label][use.Score()]++
		if use.Score() == label {
			right++
		}
	}
	for label, row := range given {
		t.Logf("label %d: called tiny %2d, medium %2d, jumbo %2d", label, row[Tiny], row[Medium], row[Jumbo])
	}
	t.Logf("%d of %d have their label", right, len(rows)-1)
	if len(rows)-1 != 66 || right != 55 || given[Tiny][Jumbo] != 0 || given[Jumbo][Tiny] != 0 {
		t.Error("the comment of the limits in score.go says 55 of 66, no Jumbo taken for Tiny and no Tiny for Jumbo: correct it")
	}
}

// A score that somebody states counts, whatever the utilisation suggests; a memory
// utilisation that nobody knows counts as 0; without score and utilisation of the GPU
// nothing is known.
func TestStandingOfFacts(t *testing.T) {
	fact := func(kind schedmate.FactKind, value int64) schedmate.Fact {
		return schedmate.Fact{Kind: kind, Value: value, Low: value, High: value, Source: schedmate.FromNeighbours}
	}
	for _, c := range []struct {
		name  string
		facts []schedmate.Fact
		want  standing
	}{
		{"nothing", nil, standing{}},
		{"memory alone", []schedmate.Fact{fact(schedmate.GPUMemoryMiB, 3000)}, standing{mib: 3000, mibKnown: true}},
		{"busy", []schedmate.Fact{fact(schedmate.GPUUtilisation, 700)}, standing{score: Jumbo, scoreKnown: true}},
		{"busy, and said to be light", []schedmate.Fact{fact(schedmate.ShareScore, 0), fact(schedmate.GPUUtilisation, 700)}, standing{score: Tiny, scoreKnown: true}},
		{"idle, with much memory", []schedmate.Fact{fact(schedmate.GPUUtilisation, 100), fact(schedmate.GPUMemoryMiB, 12_000)}, standing{score: Jumbo, scoreKnown: true, mib: 12_000, mibKnown: true}},
		{"idle, reading memory all the time", []schedmate.Fact{fact(schedmate.GPUUtilisation, 100), fact(schedmate.GPUMemoryUtilisation, 400)}, standing{score: Jumbo, scoreKnown: true}},
	} {
		j := &schedmate.JobStatus{Job: schedmate.Job{ID: "j", GPUs: 1}, Facts: c.facts}
		if got := standingOf(j, 0); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
