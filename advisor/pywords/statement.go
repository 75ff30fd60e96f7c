package pywords

import "strings"

// kind is what kind of statement it is, as far as it matters here.
type kind byte

const (
	plain     kind = iota
	function       // the head of one
	annotated      // name: type = value
	compound       // the head of a block
)

var keywords = words(`False None True and as assert async await break class continue def del elif else except finally for from global if import in is
	lambda nonlocal not or pass raise return try while with yield`)

var heads = words(`async class elif else except finally for if try while with`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

func kindOf(words []Word) kind {
	switch first := words[0]; {
	case first.is("def"), first.is("async") && len(words) > 1 && words[1].is("def"):
		return function
	case first.Kind == Name && heads[first.Text]:
		return compound
	case first.Kind != Name || keywords[first.Text]:
		return plain
	}
	if i := skip(words, 0, ":", "=", ":=", "lambda"); i < len(words) && words[i].is(":") {
		return annotated
	}
	return plain
}

// idle reports whether a statement does nothing that counts: a text, as
// docstrings are, or a call that prints or logs.
func idle(words []Word) bool {
	return onlyText(words) || onlyTalks(words)
}

func onlyText(words []Word) bool {
	for _, w := range words {
		if w.Kind != String {
			return false
		}
		if prefix, _ := w.parts(); strings.Contains(prefix, "f") {
			return false
		}
	}
	return true
}

func onlyTalks(words []Word) bool {
	call := skip(words, 0, "(")
	if call == 0 || call == len(words) || skip(words, call+1, ")") != len(words)-1 {
		return false
	}
	for i, w := range words[:call] { // a.b.c
		if i%2 == 0 && (w.Kind != Name || keywords[w.Text]) || i%2 == 1 && !w.is(".") {
			return false
		}
	}
	root, last := strings.ToLower(words[0].Text), words[call-1].Text
	if call == 1 {
		return last == "print" || last == "print_rank_0" || last == "rank_zero_info" || last == "rank_zero_warn"
	}
	switch last {
	case "info", "debug", "warning", "warn", "error", "exception", "print":
		return strings.Contains(root, "log") || root == "warnings" || root == "console"
	}
	return false
}

// bind collects the names that a statement gives to something.
func (s *speller) bind(words []Word) {
	kind := kindOf(words)
	params := -1 // the depth at which the words between commas are parameters
	depth := 0
	for i, w := range words {
		switch {
		case w.is("(") || w.is("["):
			depth++
			if w.is("(") && kind == function && depth == 1 && params < 0 {
				params = 1
			}
			continue
		case w.is(")") || w.is("]"):
			if depth--; depth < params {
				params = len(words) + 1 // there are no more
			}
			continue
		}
		if w.Kind != Name || keywords[w.Text] || i == 0 {
			continue
		}
		before := words[i-1]
		switch {
		case before.is("def") || before.is("class") || before.is("as"):
			s.bound[w.Text] = true
		case depth == params && (before.is("(") || before.is(",") || before.is("*") || before.is("**")):
			s.bound[w.Text] = true
		}
	}
	s.targets(words, kind)
	s.loops(words)
}

// targets collects what is assigned to.
func (s *speller) targets(words []Word, kind kind) {
	from := 0
	switch kind {
	case function, compound:
		from = len(words)
	case annotated:
		s.target(words[:skip(words, 0, ":")])
		from = min(skip(words, 0, "=")+1, len(words))
	}
	for end := skip(words, from, "="); end < len(words); end = skip(words, from, "=") {
		s.target(words[from:end])
		from = end + 1
	}
	for i := 1; i < len(words); i++ {
		if words[i].is(":=") {
			s.target(words[i-1 : i])
		}
	}
}

// longestTarget is the number of words within which a loop's variables or a
// lambda's parameters end; people use a handful.
const longestTarget = 64

// loops collects the variables of loops, of comprehensions and of lambdas.
func (s *speller) loops(words []Word) {
	for i, w := range words {
		behind := words[i+1 : min(i+1+longestTarget, len(words))]
		switch {
		case w.is("for"):
			s.target(behind[:skip(behind, 0, "in")])
		case w.is("lambda"):
			behind = behind[:skip(behind, 0, ":")]
			for k, p := range behind {
				if p.Kind == Name && !keywords[p.Text] && (k == 0 || behind[k-1].is(",") || behind[k-1].is("*") || behind[k-1].is("**")) {
					s.bound[p.Text] = true
				}
			}
		}
	}
}

// target binds the names of a target: those that are no part of a longer one.
func (s *speller) target(words []Word) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case (w.is("(") || w.is("[")) && i > 0 && closes(words[i-1]): // a call, an index: it binds nothing
			i = skip(words, i+1, ")", "]")
		case w.Kind != Name || keywords[w.Text] || i > 0 && words[i-1].is("."):
		case i+1 < len(words) && (words[i+1].is(".") || words[i+1].is("[") || words[i+1].is("(")):
		default:
			s.bound[w.Text] = true
		}
	}
}
