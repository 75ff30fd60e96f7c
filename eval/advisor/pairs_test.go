package advisor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPairsAreScored(t *testing.T) {
	pairs, err := ReadPairs("pairs.jsonl", strings.NewReader(`{"id":"p","label":"same","duration_ratio":1}
{"id":"q","label":"same","duration_ratio":1}
{"id":"r","label":"different"}
{"id":"s","label":"near","duration_ratio":2}
{"id":"t","label":"near","duration_ratio":0.5}
{"id":"u","label":"near"}
`))
	if err != nil {
		t.Fatal(err)
	}
	answers, err := ReadPairAnswers("answers.jsonl", strings.NewReader(`{"pair":"p","match":true,"scale":1}
{"pair":"r","match":true,"scale":1}
{"pair":"s","match":true,"scale":2.5}
{"pair":"t","match":true,"scale":0.9}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := PairScore{
		Same: 2, Recall: 0.5, Different: 1, FalseMatch: 1, NearMatched: 2, NearTotal: 3,
		Scaled: 2, Within125: 0.5, Wrong: []string{"q", "r"}, // 2.5 is a quarter more than 2, 0.9 nearly twice 0.5
	}
	if diff := cmp.Diff(want, GradePairs(pairs, answers)); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnknownLabelIsRefused(t *testing.T) {
	if _, err := ReadPairs("pairs.jsonl", strings.NewReader(`{"id":"p","label":"alike"}`)); err == nil || !strings.Contains(err.Error(), "pairs.jsonl:1") {
		t.Errorf("got %v", err)
	}
}
