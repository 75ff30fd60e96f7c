package fingerprint

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"schedmate/advisor/workload"
)

// Canonicaliser brings the texts of fields into one spelling each, so that two
// spellings of a name are equal texts. A table of known models and data sets
// is one; [Spelling] is the default without any knowledge.
type Canonicaliser interface {
	// Canonical returns the one spelling of a field's text; empty: the text says
	// nothing.
	Canonical(f workload.Field, text string) string
}

// CanonicaliserFunc lets a function be a Canonicaliser.
type CanonicaliserFunc func(f workload.Field, text string) string

// Canonical calls the function.
func (c CanonicaliserFunc) Canonical(f workload.Field, text string) string { return c(f, text) }

// Spelling is the default Canonicaliser: lower case, without organisation,
// folder and file suffix, words parted by "-". Lists lose their order.
var Spelling Canonicaliser = CanonicaliserFunc(spelling)

func spelling(f workload.Field, text string) string {
	switch f {
	case workload.ModelName, workload.Dataset, workload.InitFrom:
	default:
		return strings.Join(words(text), "-")
	}
	var parts []string
	for _, part := range strings.Split(text, ",") {
		if name := nameOf(part); name != "" {
			parts = append(parts, name)
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), ",")
}

// dataSuffixes are endings of files that hold models or data; they say nothing
// about what is in them.
var dataSuffixes = map[string]bool{
	".json": true, ".jsonl": true, ".csv": true, ".tsv": true, ".txt": true, ".parquet": true, ".arrow": true, ".bin": true, ".tar": true,
	".pt": true, ".pth": true, ".ckpt": true, ".safetensors": true, ".yaml": true, ".yml": true, ".npz": true, ".hdf5": true, ".h5": true, ".gz": true,
}

// nameOf is a name without the organisation or folder before it, the suffix of
// its file and the mark of the library whose format it has.
func nameOf(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	text = path.Base("/" + strings.ReplaceAll(text, "\\", "/"))
	for ext := strings.ToLower(path.Ext(text)); dataSuffixes[ext]; ext = strings.ToLower(path.Ext(text)) {
		text = text[:len(text)-len(ext)]
	}
	list := words(text)
	if n := len(list); n > 1 && list[n-1] == "hf" { // the same weights in another container
		list = list[:n-1]
	}
	return strings.Join(list, "-")
}

// words cuts a text at everything that is neither letter nor digit, and between
// letters and digits: "ResNet-50" and "resnet50" are the same words. A size
// keeps its unit: "7b", "124m".
func words(text string) []string {
	var list []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			list = append(list, string(word))
			word = nil
		}
	}
	runes := []rune(strings.ToLower(text))
	for i, r := range runes {
		switch {
		case unicode.IsDigit(r):
			if len(word) > 0 && !unicode.IsDigit(word[len(word)-1]) {
				flush()
			}
			word = append(word, r)
		case unicode.IsLetter(r):
			afterDigit := len(word) > 0 && unicode.IsDigit(word[len(word)-1])
			lastLetter := i+1 == len(runes) || !unicode.IsLetter(runes[i+1])
			if afterDigit && !lastLetter {
				flush()
			}
			word = append(word, r)
		default:
			flush()
		}
	}
	flush()
	return list
}

// sizeWords tell variants of one model apart.
var sizeWords = map[string]bool{
	"nano": true, "micro": true, "mini": true, "tiny": true, "small": true, "medium": true, "base": true, "large": true, "xl": true, "xxl": true,
	"huge": true, "giant": true, "gigantic": true, "wide": true, "deep": true, "lite": true, "light": true, "half": true, "quarter": true, "moe": true,
}

// sameName tells whether two canonical names mean one thing: equal but for the
// borders of words, or one says more than the other without naming another
// size: "llama-7b" and "llama-7b-chat".
func sameName(a, b string) bool {
	if squeeze(a) == squeeze(b) {
		return true
	}
	x, y := strings.FieldsFunc(a, border), strings.FieldsFunc(b, border)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 2 { // one word is too little to be sure
		return false
	}
	for _, w := range x {
		if !slices.Contains(y, w) {
			return false
		}
	}
	for _, w := range y {
		if !slices.Contains(x, w) && (sizeWords[w] || len(w) < 3 || strings.ContainsFunc(w, unicode.IsDigit)) {
			return false
		}
	}
	return true
}

func border(r rune) bool { return r == '-' || r == ',' }

func squeeze(name string) string {
	return strings.Map(func(r rune) rune {
		if border(r) {
			return -1
		}
		return r
	}, name)
}
