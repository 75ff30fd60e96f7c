package table

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"schedmate/advisor/origin"
)

// ModelInfo is what the table knows of a model. A number that is not known is 0.
type ModelInfo struct {
	Name    string  // canonical, such as "gpt2-xl"; of a size that the table lacks, family and size; fine-tuned descendants share their base's
	Family  string  // such as "gpt"
	Domain  string  // nlp cv audio multimodal recsys graph rl
	ParamsM float64 // millions of parameters
	Width   int     // d_model; of a hierarchical vision model, that of its first stage
	Layers  int     // of the encoder, when there is a decoder too
	Heads   int
	Vocab   int
	Input   int  // default input: tokens, or pixels of a side
	Wraps   bool // it has another model inside, as a detector has a backbone
	Whole   bool // the text was this model's name and nothing more
	Source  string
	Origin  *origin.Origin
}

type modelTable struct {
	rows    []ModelInfo
	index   *index
	domains map[string][]string // of a family
}

var models = sync.OnceValue(func() *modelTable {
	rows := mustRead("models")
	t := &modelTable{index: mustIndex(rows), domains: make(map[string][]string)}
	for _, r := range rows {
		m := ModelInfo{
			Name: r.text("name"), Family: r.text("family"), Domain: r.text("domain"), ParamsM: r.number("params_m"),
			Width: int(r.number("d_model")), Layers: int(r.number("layers")), Heads: int(r.number("heads")),
			Vocab: int(r.number("vocab")), Input: int(r.number("input")), Wraps: r.text("wraps") == "yes", Source: r.text("source"),
		}
		m.Origin = origin.Named(origin.Table, "models: "+m.Name)
		t.rows = append(t.rows, m)
		if !slices.Contains(t.domains[m.Family], m.Domain) {
			t.domains[m.Family] = append(t.domains[m.Family], m.Domain)
		}
	}
	return t
})

// Model looks a model up by a name, hub id, path or short description:
// "EleutherAI/pythia-160m", "vit_small_patch16_224.augreg_in21k", "GPT-2 XL".
// Of a language model with a size that the table lacks ("qwen2.5-9b") it
// returns family, domain and parameters alone. It abstains when the text names
// several models, unless one of them has the others inside.
func Model(name string) (ModelInfo, bool) {
	t := models()
	f, w, ok := t.index.find(name, parts(name, false), t.choose)
	if !ok {
		return ModelInfo{}, false
	}
	m := t.rows[f.row]
	m.Whole = f.whole
	if w == nil {
		return m, true
	}
	rest := append(slices.Clone(w[:f.from]), w[f.to:]...)
	size, word := statedSize(rest)
	switch {
	case size > 0 && (m.Domain == "nlp" || m.Domain == "multimodal") && !alike(size, m.ParamsM):
		m = m.family(m.Family+"-"+word, "size in the name")
		m.ParamsM = size
	case f.mixed || slices.ContainsFunc(rest, func(word string) bool { return slices.Contains(scaleWords, word) }):
		m = m.family(m.Name, "of another size")
	}
	return m, true
}

// scaleWords beside a name say that it is not of the usual size.
var scaleWords = []string{
	"nano", "micro", "tiny", "mini", "small", "base", "medium", "big", "large", "huge", "giant", "xl", "xxl", "half", "deep", "wide",
	"random", "dummy", "toy", "debug", "test", "pruned", "moe", "distilled",
}

// family is a model of m's family of which no numbers are known.
func (m ModelInfo) family(name, why string) ModelInfo {
	return ModelInfo{Name: name, Family: m.Family, Domain: m.Domain, Wraps: m.Wraps, Source: m.Source,
		Origin: origin.Named(origin.Table, m.Origin.Key+", "+why)}
}

// ModelOf looks a name up that means a model only within a family: "ViT-B-32"
// of clip. Without such a name it is Model.
func ModelOf(family, name string) (ModelInfo, bool) {
	for _, p := range append([]string{name}, parts(name, false)...) {
		if m, ok := Model(family + "-" + p); ok && m.Family == family && m.Whole {
			return m, true
		}
	}
	return Model(name)
}

// choose prefers the model that has the others inside, then the most precise
// one of a family.
func (t *modelTable) choose(rows []found) (found, bool) {
	if f, ok := sole(rows); ok {
		return f, true
	}
	if outer := slices.DeleteFunc(slices.Clone(rows), func(f found) bool { return !t.rows[f.row].Wraps }); len(outer) > 0 {
		f, ok := sole(outer)
		f.mixed = true
		return f, ok
	}
	for _, f := range rows[1:] {
		if t.rows[f.row].Family != t.rows[rows[0].row].Family {
			return found{}, false
		}
	}
	if precise := slices.DeleteFunc(slices.Clone(rows), func(f found) bool { return t.rows[f.row].ParamsM == 0 }); len(precise) > 0 {
		return sole(precise)
	}
	return rows[0], true
}

// statedSize reads a number of parameters, in millions, from a word such as
// "7b", "1.3b" or "160m". Millions need two digits: "1m" is a context length.
func statedSize(w []string) (float64, string) {
	for i, word := range w {
		if i > 0 && w[i-1] == "0" { // "0_6b" and "0-6b" are 0.6b
			word = "0." + word
		}
		digits, unit := word[:len(word)-1], word[len(word)-1]
		x, err := strconv.ParseFloat(digits, 64)
		if err != nil || strings.Trim(digits, "0123456789.") != "" { // not "inf", not "1e3"
			continue
		}
		switch {
		case unit == 'b' && x > 0 && x <= 2000:
			return x * 1000, word
		case unit == 'm' && len(digits) >= 2 && x >= 10 && x < 1000:
			return x, word
		}
	}
	return 0, ""
}

// alike tells whether a size in a name can mean a number of parameters: names
// round, and leave embeddings out.
func alike(a, b float64) bool { return a > 0 && b > 0 && a/b < 1.3 && b/a < 1.3 }
