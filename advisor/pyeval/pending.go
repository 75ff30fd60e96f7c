package pyeval

import "bytes"

// containsWord reports whether a text holds a word that no letter or digit
// touches.
func containsWord(text []byte, word string) bool {
	inWord := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i]
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		at += i
		if !inWord(at-1) && !inWord(at+len(word)) {
			return true
		}
		at += len(word)
	}
}

// loadingBeside reports whether a module other than the entry is running.
func (in *Interp) loadingBeside() bool {
	loading := in.loading
	if e := in.saw.Entry; e != nil && e.state == 1 {
		loading--
	}
	return loading > 0
}

// searchPending runs the modules that were imported and have not run, when
// their text holds a word: one of them may fill the registry that was asked.
// It reports whether any ran. While a module loads, a registry holds only what
// was registered before, as in Python.
func (in *Interp) searchPending(word string) bool {
	if len(word) < 2 || in.depth > in.budget.Depth-10 || in.loadingBeside() {
		return false
	}
	ran := false
	from := in.searched[word]
	for i := from; i < len(in.pending); i++ {
		m := in.pending[i]
		if m.state == 0 && m.isFile && containsWord(in.textOf(m), word) {
			in.runModule(m)
			ran = true
		}
	}
	if in.searched == nil {
		in.searched = map[string]int{}
	}
	in.searched[word] = len(in.pending)
	return ran
}

// fillers runs the modules that are imported, have not run and name the module
// of a registry: who goes through all of a registry sees what they put there.
// Where many name it, none is run: the word says too little.
func (in *Interp) fillers(d *Dict) {
	const few = 12
	if d.module == nil || !d.filled || in.depth > in.budget.Depth-10 || in.loadingBeside() {
		return
	}
	d.filled = false
	var all []*Module
	for _, m := range in.pending {
		if m.state == 0 && m.isFile && containsWord(in.textOf(m), lastName(d.module.Name)) {
			all = append(all, m)
		}
	}
	for _, m := range all {
		if len(all) <= few {
			in.runModule(m)
		}
	}
}
