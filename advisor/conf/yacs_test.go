package conf

import (
	"errors"
	"testing"
)

const detection = `
-- configs/Base.yaml --
MODEL:
  MASK_ON: False
  SIZES: (32, 64)
SOLVER:
  IMS_PER_BATCH: 16
  BASE_LR: 2e-2
  STEPS: (60000, 80000)
-- configs/coco/mask.yaml --
_BASE_: "../Base.yaml"
MODEL:
  MASK_ON: True
-- configs/coco/far.yaml --
_BASE_: "~/models/base.yaml"
-- configs/coco/lost.yaml --
_BASE_: [mask.yaml, lost_base.yaml]
-- configs/coco/round.yaml --
_BASE_: round.yaml
`

func TestBaseChainAndPairs(t *testing.T) {
	root := repo(t, detection)
	tree, err := LoadBased(root, "configs/coco/mask.yaml", "_BASE_")
	if err != nil {
		t.Fatal(err)
	}
	left, err := ApplyPairs(tree, append(words("SOLVER.IMS_PER_BATCH", "2", "SOLVER.BASE_LR", "0.0025", "MODEL.WEIGHTS", "detectron2://x", "SOLVER.BASE_LR", "0.005"),
		Word{Text: "OUT", Known: true}, Word{Text: "$OUT"}))
	if err != nil || len(left) != 1 {
		t.Fatal(err, left)
	}
	same(t, "tree", M{
		"MODEL":  M{"MASK_ON": true, "SIZES": L{int64(32), int64(64)}, "WEIGHTS": "detectron2://x"},
		"SOLVER": M{"IMS_PER_BATCH": int64(2), "BASE_LR": 0.005, "STEPS": L{int64(60000), int64(80000)}},
		"OUT":    "unknown: the word of the command is not known",
	}, tree)
	says(t, tree, "SOLVER.BASE_LR", "cli:SOLVER.BASE_LR, beats cli:SOLVER.BASE_LR, yaml:configs/Base.yaml:6")
	says(t, tree, "MODEL.MASK_ON", "yaml:configs/coco/mask.yaml:3, beats yaml:configs/Base.yaml:2")
}

func TestBasesThatAreNotThere(t *testing.T) {
	root := repo(t, detection)
	for name, file := range map[string]string{"far": "~/models/base.yaml", "lost": "configs/coco/lost_base.yaml"} {
		_, err := LoadBased(root, "configs/coco/"+name+".yaml", "_BASE_")
		var missing *MissingConfigError
		if !errors.As(err, &missing) || missing.File != file {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LoadBased(root, "configs/coco/round.yaml", "_BASE_"); err == nil {
		t.Error("a file that is its own base was read")
	}
	if _, err := ApplyPairs(NewMap(nil), words("A.B")); err == nil {
		t.Error("a key without a value was taken")
	}
}

func TestLiteralsAreThoseOfPython(t *testing.T) {
	for text, want := range map[string]any{
		"(800,)": L{int64(800)}, "(800)": int64(800), "640, 672": L{int64(640), int64(672)}, "1e-4": 1e-4, "None": nil, "True": true, "'a' \"b\"": "ab", "-1": int64(-1),
		"[1, # one\n 2]": L{int64(1), int64(2)}, "{'a': (1, 2), 3: []}": M{"a": L{int64(1), int64(2)}, "3": L{}}, "{1, 2}": L{int64(1), int64(2)},
		"0x10": int64(16), "1_000": int64(1000), "1.": 1.0, "r'\\n'": `\n`, `'\x41\n'`: "A\n", "'''a\nb'''": "a\nb", "{}": M{}, "()": L{}, "0": int64(0), "00": int64(0),
	} {
		got, ok := Literal(text, nil)
		if !ok {
			t.Errorf("%s was not read", text)
			continue
		}
		same(t, text, want, got)
	}
	for _, bad := range []string{"", "abc", "1 + 2", "010", "'a", "[1", "(1 2)", "{1: 2, 3}", "f(1)", "@x", "1x", "--'a'", "_1", "inf"} {
		if got, ok := Literal(bad, nil); ok {
			t.Errorf("%q was read as %v", bad, got.Plain())
		}
	}
}
