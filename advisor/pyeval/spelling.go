package pyeval

// Spelling is a Python file without what does not count: comments, docstrings,
// layout, what only prints, and the spelling of the names that it binds itself.
// Two files with one spelling do the same. It is empty for a file that cannot be
// read to its end.
func Spelling(text []byte) string {
	root, err := trees.parse(text)
	if err != nil || root == nil {
		return ""
	}
	w := &sliceWriter{slicer: &slicer{done: map[*node]bool{}}, module: &Module{globals: newDict()}, numbers: map[string]int{}, bound: map[string]bool{}}
	w.binds(root)
	w.attributes = true
	for i, k := range root.kids {
		if i == 0 && isDocstring(k) || onlyTalks(k) {
			continue
		}
		w.write(k)
	}
	if w.budget > mostSliced {
		return ""
	}
	return w.text.String()
}
