package pywords

import (
	"strconv"
	"strings"
)

// Spelling is a Python file without what does not count: comments, docstrings,
// layout, annotations, what only prints, and the spelling of the names that it
// binds itself. Two files with one spelling do the same; the opposite need not
// hold. It is empty for a file that cannot be read to its end.
func Spelling(text string) string {
	s := speller{bound: map[string]bool{}, numbers: map[string]string{}}
	var all []statement
	l := LinesOf(text)
	for l.Next() {
		for _, st := range statements(column(text, l.Start), Words(text[l.Start:l.End])) {
			all = append(all, st)
			s.bind(st.words)
		}
	}
	if l.Broken {
		return ""
	}
	for _, st := range all {
		s.write(st)
	}
	return s.text.String()
}

// statement is one with the column that it begins in.
type statement struct {
	column int
	words  []Word
}

// column is the number of columns before a place, tabs at every eighth.
func column(text string, at int) int {
	n := 0
	for _, c := range text[strings.LastIndexByte(text[:at], '\n')+1 : at] {
		if c == '\t' {
			n += 8 - n%8
		} else {
			n++
		}
	}
	return n
}

// statements splits a line at its semicolons, and behind the head of a block
// that goes on in its line.
func statements(column int, words []Word) []statement {
	if len(words) == 0 { // a backslash alone
		return nil
	}
	var all []statement
	if k := kindOf(words); k == function || k == compound {
		if head := skip(words, 0, ":") + 1; head < len(words) {
			all = append(all, statement{column, words[:head]})
			column, words = column+1, words[head:]
		}
	}
	for len(words) > 0 {
		n := 0
		for n < len(words) && !words[n].is(";") {
			n++
		}
		if n > 0 {
			all = append(all, statement{column, words[:n]})
		}
		words = words[min(n+1, len(words)):]
	}
	return all
}

// speller writes statements down.
type speller struct {
	bound   map[string]bool   // names that the file binds
	numbers map[string]string // of the bound names, in the order of their first use
	columns []int             // of the blocks that are open
	text    strings.Builder
}

func (s *speller) write(st statement) {
	if idle(st.words) {
		return
	}
	for len(s.columns) > 0 && s.columns[len(s.columns)-1] > st.column {
		s.columns = s.columns[:len(s.columns)-1]
		s.text.WriteString("}\n")
	}
	if n := len(s.columns); st.column > 0 && (n == 0 || s.columns[n-1] < st.column) {
		s.columns = append(s.columns, st.column)
		s.text.WriteString("{\n")
	}
	s.words(st.words)
	s.text.WriteByte('\n')
}

// bracket is an open bracket.
type bracket struct {
	loose  bool // a comma before its end says nothing
	params bool // of a function
	commas int
}

func bracketAt(words []Word, i int) bracket {
	behind := i > 0 && closes(words[i-1])
	return bracket{loose: words[i].is("{") || words[i].is("(") && behind || words[i].is("[") && !behind}
}

// words writes the words of a statement.
func (s *speller) words(words []Word) {
	kind := kindOf(words)
	var open []bracket
	for i := 0; i < len(words); i++ {
		w := words[i]
		var inside *bracket
		if len(open) > 0 {
			inside = &open[len(open)-1]
		}
		switch {
		case w.is("(") || w.is("[") || w.is("{"):
			b := bracketAt(words, i)
			b.params = kind == function && len(open) == 0
			open = append(open, b)
		case w.is(")") || w.is("]") || w.is("}"):
			open = open[:max(0, len(open)-1)]
		case w.is(",") && inside != nil:
			inside.commas++
			if last := i+1 < len(words) && (words[i+1].is(")") || words[i+1].is("]") || words[i+1].is("}")); last && (inside.loose || inside.commas > 1) {
				continue
			}
		case w.is("->") && kind == function && inside == nil:
			i = skip(words, i, ":") - 1
			continue
		case w.is(":") && inside != nil && inside.params && len(open) == 1:
			i = skip(words, i+1, "=", ",", ")") - 1
			continue
		case w.is(":") && kind == annotated && inside == nil:
			kind = plain // the next colon is another one
			i = skip(words, i+1, "=") - 1
			continue
		}
		s.word(words, i, inside)
		s.text.WriteByte(' ')
	}
}

// word writes one word.
func (s *speller) word(words []Word, i int, inside *bracket) {
	w := words[i]
	switch w.Kind {
	case String:
		s.string(w)
	case Name:
		attribute := i > 0 && words[i-1].is(".")
		argument := inside != nil && !inside.params && i+1 < len(words) && words[i+1].is("=") // the callee chose the name
		imported := (words[0].is("import") || words[0].is("from")) && i > 0 && !words[i-1].is("as")
		if attribute || argument || imported {
			s.text.WriteString(w.Text)
			return
		}
		s.text.WriteString(s.name(w.Text))
	default:
		s.text.WriteString(w.Text)
	}
}

// name is how a name is written: numbered when the file binds it.
func (s *speller) name(text string) string {
	if !s.bound[text] || text == "self" || text == "cls" {
		return text
	}
	n, ok := s.numbers[text]
	if !ok {
		n = "#" + strconv.Itoa(len(s.numbers))
		s.numbers[text] = n
	}
	return n
}

// string writes a text with its length, so that its quotes do not matter. Names
// within the braces of a formatted one are names.
func (s *speller) string(w Word) {
	prefix, content := w.parts()
	content = strings.ReplaceAll(content, "\r", "")
	if strings.Contains(prefix, "f") {
		content = s.formatted(content)
	}
	s.text.WriteString(strings.ReplaceAll(prefix, "u", "") + strconv.Itoa(len(content)) + `"` + content + `"`)
}

func (s *speller) formatted(content string) string {
	var out strings.Builder
	for len(content) > 0 {
		i := strings.IndexByte(content, '{')
		if i < 0 {
			break
		}
		out.WriteString(content[:i+1])
		content = content[i+1:]
		if strings.HasPrefix(content, "{") {
			out.WriteByte('{')
			content = content[1:]
			continue
		}
		end := strings.IndexAny(content, "}!:") // what follows is how it is shown
		if end < 0 {
			end = len(content)
		}
		words := Words(content[:end])
		for k, v := range words {
			if v.Kind == Name && (k == 0 || !words[k-1].is(".")) {
				out.WriteString(s.name(v.Text) + " ")
			} else {
				out.WriteString(v.Text + " ")
			}
		}
		content = content[end:]
	}
	return out.String() + content
}

// skip is the place of the first of some marks outside of brackets, from a
// place on; the end of the words if there is none.
func skip(words []Word, from int, until ...string) int {
	depth := 0
	for i := from; i < len(words); i++ {
		w := words[i]
		if depth == 0 {
			for _, u := range until {
				if w.is(u) {
					return i
				}
			}
		}
		switch {
		case w.is("(") || w.is("[") || w.is("{"):
			depth++
		case w.is(")") || w.is("]") || w.is("}"):
			depth--
		}
	}
	return len(words)
}

// closes reports whether a bracket after this word belongs to what it ends: a
// call, an index.
func closes(w Word) bool {
	return w.Kind == String || w.Kind == Name && !keywords[w.Text] || w.is(")") || w.is("]") || w.is("}")
}
