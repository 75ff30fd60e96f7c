package advisor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/resolve"
	"schedmate/advisor/source"
	"schedmate/advisor/workload"
)

// mask stands where a secret stood.
const mask = "***"

// secrets are values that stand under names that say what they are: api_key,
// HF_TOKEN, password. The program may use them; no answer holds one.
type secrets struct {
	values []string // the longest first
}

// shortest value that is looked for in texts: shorter ones are found everywhere.
const shortest = 6

const mostSecrets = 1000

// secretsOf collects secrets from the request and from what the program keeps.
func secretsOf(request launch.Request, r *resolve.Result, root *source.Root) *secrets {
	s := &secrets{}
	s.files(root)
	for name, value := range request.Env {
		s.add(name, value)
	}
	s.words(request.Argv)
	s.words(strings.Fields(request.Command))
	if r.Program != nil {
		var words []string
		for _, w := range r.Program.Args {
			words = append(words, w.Text)
		}
		s.words(words)
		for name, w := range r.Program.Env {
			s.add(name, w.Text)
		}
	}
	if r.Observed != nil {
		for _, a := range r.Observed.Assigned {
			s.walk(a.Name, a.Value, 0, nil)
		}
		for _, c := range r.Observed.Configs {
			s.walk("", c, 0, nil)
		}
		if r.Observed.Entry != nil {
			r.Observed.Entry.Globals(func(name string, v pyeval.Value) { s.walk(name, v, 0, nil) })
		}
	}
	slices.SortFunc(s.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	s.values = slices.Compact(s.values)
	return s
}

func (s *secrets) add(name, value string) {
	value = strings.Trim(value, `"'`)
	s.addresses(value)
	if len(value) <= 4096 && secretName(name) && !wordLike(value) && !(countLike(value) && slices.Contains(wordsOf(name), "token")) {
		s.keep(value)
	}
}

// keep notes a value, also as it is when a program changes its case.
func (s *secrets) keep(value string) {
	for _, v := range []string{value, strings.ToUpper(value), strings.ToLower(value)} {
		if len(v) >= shortest && len(s.values) < mostSecrets {
			s.values = append(s.values, v)
		}
	}
}

// login is a name and password in an address.
var login = regexp.MustCompile(`(://)[^/\s:@"']*:([^/\s@"']+)@`)

// addresses collects the passwords in the addresses of a text.
func (s *secrets) addresses(text string) {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return
	}
	for _, m := range login.FindAllStringSubmatch(text, 100) {
		if !wordLike(m[2]) {
			s.keep(m[2])
		}
	}
}

// countLike are numbers, also with a unit: 300B, 1_000_000, 1e12.
func countLike(value string) bool {
	value = strings.TrimRight(strings.ReplaceAll(value, "_", ""), "kKmMbBtTgG")
	_, err := strconv.ParseFloat(value, 64)
	return err == nil
}

// wordLike are values that say that there is no secret, or where it is, and
// those that are no text of people: <|user|>, [MASK].
func wordLike(value string) bool {
	switch strings.ToLower(value) {
	case "none", "null", "true", "false", "auto", "default":
		return true
	}
	return strings.HasPrefix(value, "$") || strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") || strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]")
}

// words reads "--token VALUE", "--token=VALUE" and "token=VALUE".
func (s *secrets) words(words []string) {
	for i, w := range words {
		s.addresses(w)
		name, value, ok := strings.Cut(w, "=")
		if ok {
			s.add(name, value)
		} else if strings.HasPrefix(w, "-") && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			s.add(w, words[i+1])
		}
	}
}

const deepest = 8

func (s *secrets) walk(name string, v pyeval.Value, depth int, above []*pyeval.Dict) {
	if v.Kind == pyeval.Str {
		s.add(name, v.Text)
		return
	}
	d := v.Dict()
	if o := v.Object(); o != nil {
		d = o.Attrs
	}
	if depth > deepest || len(s.values) >= mostSecrets {
		return
	}
	if d != nil && !slices.Contains(above, d) {
		above = append(above, d)
		d.Each(func(k, item pyeval.Value) {
			if k.Kind == pyeval.Str {
				s.walk(k.Text, item, depth+1, above)
			}
		})
		return
	}
	if items, ok := v.Items(); ok && len(items) <= 64 {
		for _, item := range items {
			s.walk(name, item, depth+1, above)
		}
	}
}

// cleanse takes fields away whose values are secrets.
func (s *secrets) cleanse(m *workload.Metadata) {
	const why = "its value is, or comes from, what a name calls a secret"
	for f, v := range m.Values {
		if s.holds(v) {
			delete(m.Values, f)
			m.Unknown[f] = why
		}
	}
	for f, all := range m.Candidates {
		if slices.ContainsFunc(all, s.holds) {
			delete(m.Candidates, f)
			m.Unknown[f] = why
		}
	}
}

func (s *secrets) holds(v workload.Value) bool {
	text, ok := v.Value.(string)
	return ok && (s.hide(text) != text || v.Origin != nil && v.Origin.Kind != origin.Derived && v.Origin.Kind != origin.Python && secretName(v.Origin.Key))
}

// hide masks the secrets in a text.
func (s *secrets) hide(text string) string {
	for _, value := range s.values {
		text = strings.ReplaceAll(text, value, mask)
	}
	if strings.Contains(text, "://") {
		text = login.ReplaceAllString(text, "${1}"+mask+"@")
	}
	return text
}

// names tells whether something that an answer stands on has a secret in its
// path.
func (s *secrets) names(seen *source.Seen) bool {
	for _, paths := range []map[string]string{seen.Files, seen.Folders, seen.Paths, seen.Stamps} {
		for name := range paths {
			if s.hide(name) != name {
				return true
			}
		}
	}
	for _, names := range seen.Absent {
		if s.hide(string(names)) != string(names) {
			return true
		}
	}
	return false
}

// hideAll masks the secrets in what an analysis tells people.
func (s *secrets) hideAll(a *Analysis) {
	for f, x := range a.Fields {
		x.Place, x.Evidence = s.hide(x.Place), s.hide(x.Evidence)
		a.Fields[f] = x
	}
	for f, all := range a.Candidates {
		for i := range all {
			all[i].Place, all[i].Evidence = s.hide(all[i].Place), s.hide(all[i].Evidence)
		}
		a.Candidates[f] = all
	}
	for f, why := range a.Unknown {
		a.Unknown[f] = s.hide(why)
	}
	for i := range a.Warnings {
		a.Warnings[i] = s.hide(a.Warnings[i])
	}
	for i := range a.FilesRead {
		a.FilesRead[i] = s.hide(a.FilesRead[i])
	}
	a.JobName, a.GPUType = s.hide(a.JobName), s.hide(a.GPUType)
}
