package resolve

import (
	"regexp"
	"strings"
)

// sharing is an assignment that makes two layers one matrix.
var sharing = regexp.MustCompile(`\.weight\s*=\s*[\w.]*weights?\b`)

// untied reports that a model of the repository has a layer from its width to
// all tokens, and that its file does not make that layer the matrix of the
// tokens.
func (v *view) untied(width, tokens float64) bool {
	for _, c := range v.calls("Linear") {
		in, okIn := c.Arg("in_features", 0)
		out, okOut := c.Arg("out_features", 1)
		a, _ := in.Number()
		b, _ := out.Number()
		if !okIn || !okOut || a != width || b != tokens || c.Site == nil || strings.HasPrefix(c.Name, "repo:") {
			continue
		}
		text, err := v.root.Read(c.Site.File)
		return err == nil && !sharing.Match(text)
	}
	return false
}
