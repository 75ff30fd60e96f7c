package table

import "testing"

// Rows can be left out by their source, to measure what they are worth; the
// program itself leaves none out.
func TestRowsAreLeftOutBySource(t *testing.T) {
	if leftOut("repo:owner/name") {
		t.Error("a row is left out unasked")
	}
	withoutSources = "other/one,Owner/Name,"
	defer func() { withoutSources = "" }()
	for source, want := range map[string]bool{"repo:owner/name": true, "arXiv:1512.03385": false, "": false} {
		if leftOut(source) != want {
			t.Errorf("%q: left out is %v", source, !want)
		}
	}
}
