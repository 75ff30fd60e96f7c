package advisor

import (
	"errors"
	"fmt"
	"io"
	"math"

	"schedmate/eval/jsonl"
)

// Pair is what is true of two submissions.
type Pair struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`          // same: must match; near: may, if scaled; different: must not
	Ratio *float64 `json:"duration_ratio"` // duration of b over that of a on equal hardware; nil: not defined
}

// PairAnswer is what is said of them: a line of 'schedmate match --jsonl'.
type PairAnswer struct {
	Pair  string   `json:"pair"`
	Match bool     `json:"match"`
	Scale *float64 `json:"scale"`
}

// ReadPairs reads one pair a line.
func ReadPairs(name string, r io.Reader) ([]Pair, error) {
	return jsonl.Read(name, r, func(p *Pair) error {
		switch p.Label {
		case "same", "near", "different":
			return nil
		}
		return fmt.Errorf("pair %.40q: label %.40q must be same, near or different", p.ID, p.Label)
	})
}

// ReadPairAnswers reads one answer a line.
func ReadPairAnswers(name string, r io.Reader) ([]PairAnswer, error) {
	return jsonl.Read(name, r, func(a *PairAnswer) error {
		if a.Pair == "" {
			return errors.New("field pair is missing")
		}
		return nil
	})
}

// PairScore compares answers with the labels.
type PairScore struct {
	Same        int      `json:"same"`
	Recall      float64  `json:"recall"` // of same ones
	Different   int      `json:"different"`
	FalseMatch  float64  `json:"false_match"` // of different ones
	NearMatched int      `json:"near_matched"`
	NearTotal   int      `json:"near_total"`
	Scaled      int      `json:"near_scaled"`       // matched with a scale, where the ratio is defined
	Within125   float64  `json:"scale_within_1_25"` // of these, by the larger of the two ratios
	Wrong       []string `json:"wrong"`             // pairs missed or falsely matched
}

// GradePairs scores answers; a pair without an answer counts as no match.
func GradePairs(pairs []Pair, answers []PairAnswer) PairScore {
	by := make(map[string]PairAnswer)
	for _, a := range answers {
		by[a.Pair] = a
	}
	var s PairScore
	var found, falsely, within int
	for _, p := range pairs {
		a := by[p.ID]
		switch p.Label {
		case "same":
			s.Same++
			found += count(a.Match)
		case "different":
			s.Different++
			falsely += count(a.Match)
		case "near":
			s.NearTotal++
			s.NearMatched += count(a.Match)
			if a.Match && a.Scale != nil && *a.Scale > 0 && p.Ratio != nil && *p.Ratio > 0 {
				s.Scaled++
				within += count(math.Abs(math.Log(*a.Scale / *p.Ratio)) <= math.Log(1.25)+1e-9)
			}
		}
		if p.Label != "near" && a.Match != (p.Label == "same") {
			s.Wrong = append(s.Wrong, p.ID)
		}
	}
	s.Recall, s.FalseMatch, s.Within125 = share(found, s.Same), share(falsely, s.Different), share(within, s.Scaled)
	return s
}
