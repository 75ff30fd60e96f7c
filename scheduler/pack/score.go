package pack

import "schedmate"

// Score is how much of a GPU a job takes from others that share it (Lucid,
// ASPLOS'23, section 4.2, "sharing score").
//
// Invariant: Tiny <= Score <= Jumbo.
type Score int

const (
	Tiny   Score = 0 // others keep at least 0.95 of their speed, in the mean
	Medium Score = 1 // at least 0.85
	Jumbo  Score = 2 // less
)

// The limits of the mean relative speed, in thousandths (Lucid's labels).
const (
	tinySpeed   = 950
	mediumSpeed = 850
)

// ScoreOf returns the score of a configuration that has been measured beside
// others, from the mean of the relative speeds, and false without any.
func ScoreOf(speeds []int) (Score, bool) {
	if len(speeds) == 0 {
		return 0, false
	}
	sum := 0
	for _, v := range speeds {
		sum += v
	}
	switch n := len(speeds); {
	case sum < mediumSpeed*n:
		return Jumbo, true
	case sum < tinySpeed*n:
		return Medium, true
	}
	return Tiny, true
}

// Use is what a job alone does with its GPU, in thousandths and MiB.
type Use struct {
	GPU, Memory int64 // share of the time in which kernels run, and in which memory is read or written
	MiB         int64 // peak device memory
}

// Limits of the rule of [Use.Score], in thousandths. They are read off the 66
// configurations that Lucid's authors profiled, and give 55 of these the label that
// the authors gave them; how well they do on others has not been measured. Whatever
// it got wrong, it took no Jumbo for Tiny and no Tiny for Jumbo.
const (
	jumboGPU    = 600
	jumboMemory = 335
	tinyGPU     = 250
	largeMiB    = 11_000 // all five that fill so much memory are Jumbo
)

// Score returns the score that the use suggests.
func (u Use) Score() Score {
	switch {
	case u.GPU >= jumboGPU || u.Memory >= jumboMemory || u.MiB >= largeMiB:
		return Jumbo
	case u.GPU < tinyGPU:
		return Tiny
	}
	return Medium
}

// standing is what the rules ask about a job.
type standing struct {
	score      Score
	mib        int64
	scoreKnown bool
	mibKnown   bool
}

// standingOf reads the live facts: a score that somebody states, else the one that
// the utilisation suggests. A memory utilisation that is missing counts as 0, because
// the utilisation of the GPU bounds it from above.
func standingOf(j *schedmate.JobStatus, now schedmate.Seconds) standing {
	var s standing
	var u Use
	if f := j.Fact(schedmate.GPUMemoryMiB, now); f != nil {
		s.mib, s.mibKnown = f.Value, true
		u.MiB = f.Value
	}
	if f := j.Fact(schedmate.GPUMemoryUtilisation, now); f != nil {
		u.Memory = f.Value
	}
	if f := j.Fact(schedmate.ShareScore, now); f != nil {
		s.score, s.scoreKnown = Score(f.Value), true
	} else if f := j.Fact(schedmate.GPUUtilisation, now); f != nil {
		u.GPU = f.Value
		s.score, s.scoreKnown = u.Score(), true
	}
	return s
}
