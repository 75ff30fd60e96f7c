package advisor

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"schedmate/advisor/source"
)

var (
	// given is a name with its value, as in YAML, JSON, TOML and shell scripts.
	given = regexp.MustCompile(`["']?([A-Za-z][A-Za-z0-9_.-]*)["']?\s*[:=]\s*["']?([^\s"',}\]#]+)`)
	// quoted is one in code, where what is not quoted is a name.
	quoted = regexp.MustCompile(`["']?([A-Za-z][A-Za-z0-9_.-]*)["']?\]?\s*[:=]\s*["']([^"']+)["']`)
)

// speaking are parts of the names that secretName knows. The short ones are
// parts of many other words: they count at the end of a word alone.
var (
	speaking = [][]byte{[]byte("key"), []byte("token"), []byte("secret"), []byte("passw"), []byte("pwd"), []byte("passphrase"), []byte("passcode"), []byte("cred"), []byte("bearer"),
		[]byte("webhook"), []byte("conn"), []byte("://"), []byte("pass"), []byte("pat"), []byte("auth"), []byte("dsn")}
	endings = [][]byte{[]byte("pass"), []byte("pat"), []byte("auth"), []byte("dsn")}
)

// inWord tells whether a short word goes on after a place.
func inWord(text []byte, at int) bool {
	return at < len(text) && text[at] >= 'a' && text[at] <= 'z' && (text[at] != 's' || at+1 < len(text) && text[at+1] >= 'a' && text[at+1] <= 'z')
}

const (
	mostOfLine = 2000   // bytes around a speaking name that are looked at
	mostSpoken = 20_000 // places that are looked at in one file
)

// files collects secrets from the files that were read: the program may hold
// them in values that nobody watches.
func (s *secrets) files(root *source.Root) {
	for _, name := range root.FilesRead() {
		text, err := root.Read(name)
		if err != nil {
			continue
		}
		pattern := given
		if path.Ext(name) == ".py" {
			pattern = quoted
		}
		lower := bytes.ToLower(text)
		if len(lower) != len(text) { // letters whose small form is longer
			lower = text
		}
		places := 0
		done := map[int]bool{} // lines, by where they begin
		for _, word := range speaking {
			short := slices.ContainsFunc(endings, func(e []byte) bool { return bytes.Equal(e, word) })
			for at := 0; places < mostSpoken; places++ {
				i := bytes.Index(lower[at:], word)
				if i < 0 {
					break
				}
				i += at
				at = i + len(word)
				if short && inWord(text, at) {
					continue
				}
				line := bytes.LastIndexByte(text[:i], '\n') + 1
				from := max(line, i-100)
				to := len(text)
				if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
					to = i + n
				}
				to = min(to, i+mostOfLine)
				if word[0] == ':' {
					s.addresses(string(text[from:to]))
					continue
				}
				if whole := from == line && to < i+mostOfLine; done[line] && whole || !bytes.ContainsAny(text[from:to], ":=") {
					continue
				} else if whole {
					done[line] = true
				}
				for _, m := range pattern.FindAllSubmatch(text[from:to], 20) {
					s.add(string(m[1]), strings.TrimSpace(string(m[2])))
				}
			}
		}
	}
}
