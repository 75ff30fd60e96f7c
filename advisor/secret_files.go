package advisor

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"schedmate/advisor/source"
)

var (
	// given is a name with its value, as in YAML, JSON, TOML and shell scripts.
	given = regexp.MustCompile(`["']?([A-Za-z][A-Za-z0-9_.-]*)["']?\s*[:=]\s*["']?([^\s"',}\]#]+)`)
	// quoted is one in code, where what is not quoted is a name.
	quoted = regexp.MustCompile(`["']?([A-Za-z][A-Za-z0-9_.-]*)["']?\]?\s*[:=]\s*["']([^"']+)["']`)
)

// speaking are parts of the names that secretName knows.
var speaking = [][]byte{[]byte("key"), []byte("token"), []byte("secret"), []byte("passw"), []byte("pwd"), []byte("passphrase"), []byte("credential"), []byte("bearer")}

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
		for _, word := range speaking {
			for at := 0; places < mostSpoken; places++ {
				i := bytes.Index(lower[at:], word)
				if i < 0 {
					break
				}
				i += at
				from := max(bytes.LastIndexByte(text[:i], '\n')+1, i-100)
				to := len(text)
				if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
					to = i + n
				}
				to = min(to, i+mostOfLine)
				for _, m := range pattern.FindAllSubmatch(text[from:to], 20) {
					s.add(string(m[1]), strings.TrimSpace(string(m[2])))
				}
				at = i + len(word)
			}
		}
	}
}
