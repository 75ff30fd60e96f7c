package resolve

import (
	"fmt"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

var vocabularyNames = []string{"vocab_size", "padded_vocab_size", "n_vocab", "vocabulary_size", "ntoken", "n_token", "vocab"}

// parameters counts the parameters of a transformer over tokens that the
// repository builds, where no table tells: each layer has 4 d^2 for attention
// and 8 d^2 behind it (4 d wide, or three gated matrices of 8/3 d), and the
// tokens have V d. A model with an encoder and a decoder is not counted: it is
// not told which of them the layers are of.
func (v *view) parameters() {
	width, okW := v.md.Number(workload.DModel)
	layers, okL := v.md.Number(workload.NLayers)
	domain, _ := v.md.Text(workload.Domain)
	if v.has(workload.ParamsM) || !okW || !okL || domain != "nlp" || !v.attends() {
		return
	}
	tokens, tokensFrom, ok := v.vocabulary()
	if !ok {
		return
	}
	ends := 1.0 // a matrix for tokens in, and one for tokens out unless it is the same
	if tie, _, ok := v.lookup(isBool, "tie_embeddings", "tie_weights", "tie_word_embeddings", "tied", "tie_weight", "share_embeddings", "share_input_output_embed"); ok {
		ends = 2 - float64(tie.Int)
	} else if tokens > 0 && v.untied(width, tokens) {
		ends = 2
	}
	count := 12*layers*width*width + ends*tokens*width
	formula := fmt.Sprintf("(12*%v*%v^2 + %v*%v*%v)/1e6", layers, width, ends, tokens, width)
	v.set(workload.ParamsM, count/1e6, origin.Computed(formula, v.md.Values[workload.NLayers].Origin, v.md.Values[workload.DModel].Origin, tokensFrom))
}

// attends reports whether classes of the repository that are attention were
// made, and none that attend to an encoder.
func (v *view) attends() bool {
	found := false
	for _, c := range v.obs.Calls {
		o := c.Self.Object()
		if o == nil || !strings.HasPrefix(c.Name, "repo:") || !isModule(o.Class.Bases()) {
			continue
		}
		name := strings.ToLower(o.Class.Name)
		if strings.Contains(name, "crossattention") || strings.Contains(name, "cross_attention") || strings.Contains(name, "expert") || strings.Contains(name, "moe") {
			return false
		}
		found = found || strings.Contains(name, "attention") || strings.Contains(name, "attn")
	}
	return found
}

// vocabulary is the number of tokens. The tokens of a data set of characters
// are so few that they do not count.
func (v *view) vocabulary() (float64, *origin.Origin, bool) {
	if v.ofCharacters() {
		return 0, origin.Named(origin.Rule, "characters are few"), true
	}
	if n, at, ok := v.number(vocabularyNames...); ok {
		return n, at, true
	}
	for _, key := range vocabularyNames {
		for _, n := range v.all(key) {
			if n.value.Kind != pyeval.CandidatesKind {
				continue
			}
			for _, a := range n.value.Alternatives() { // the data may bring another; this is what it is without
				if x, ok := a.Number(); ok && x > 0 {
					return x, or(a.Origin, n.value.Origin), or(a.Origin, n.value.Origin) != nil
				}
			}
		}
	}
	return 0, nil, false
}

// ofCharacters reports whether the data set is named after characters.
func (v *view) ofCharacters() bool {
	if name, ok := v.md.Text(workload.Dataset); ok && strings.EqualFold(name, "char") { // of a class
		return true
	}
	for _, key := range datasetNames {
		for _, n := range v.all(key) {
			if !isText(n.value) || !n.config {
				continue
			}
			for _, word := range strings.FieldsFunc(strings.ToLower(n.value.Text), func(r rune) bool { return strings.ContainsRune("-_/. ", r) }) {
				if word == "char" || word == "chars" || word == "character" || word == "enwik8" || word == "text8" {
					return true
				}
			}
		}
	}
	return false
}
