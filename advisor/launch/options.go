package launch

import (
	"strings"
)

// options knows the options of one program, enough to find where its own words
// end and the program that it starts begins.
type options struct {
	arity map[string]int    // option without its dashes -> words that it takes: 0, 1 or 2
	name  map[string]string // option -> canonical name
	long  bool              // a single dash may start a long name (mpirun)
}

// newOptions reads one option a string: its spellings, the canonical one last,
// with "=" when it takes a word and "==" when it takes two.
func newOptions(specs ...string) *options {
	o := &options{arity: map[string]int{}, name: map[string]string{}}
	for _, spec := range specs {
		arity := strings.Count(spec, "=")
		names := strings.Fields(strings.TrimRight(spec, "="))
		canonical := plain(names[len(names)-1])
		for _, n := range names {
			o.arity[plain(n)], o.name[plain(n)] = arity, canonical
		}
	}
	return o
}

// plain is an option's name without dashes in front and with underscores inside.
func plain(option string) string {
	return strings.ReplaceAll(strings.TrimLeft(option, "-"), "-", "_")
}

// setting is one option as it was given.
type setting struct {
	name string
	args []value // none for a switch
}

// parse takes options off the front of words until the first word that is
// none. The last one of a name wins in the map; all of them are in the list.
func (o *options) parse(words []value) (map[string]Word, []setting, []value) {
	var all []setting
	for len(words) > 0 {
		w := words[0].text()
		if !words[0].known() && !strings.HasPrefix(w, "-") {
			if len(words) > 1 { // unknown words between the options: $SRUN_ARGS
				words = words[1:]
				continue
			}
			break
		}
		if w == "--" {
			words = words[1:]
			break
		}
		if len(w) < 2 || w[0] != '-' {
			break
		}
		var s setting
		s, words = o.one(words[0], words[1:])
		all = append(all, s)
	}
	last := map[string]Word{}
	for _, s := range all {
		if len(s.args) == 0 {
			last[s.name] = Word{Text: "true", Known: true}
			continue
		}
		last[s.name] = s.args[len(s.args)-1].word()
	}
	return last, all, words
}

// one reads the option word and the words that it takes.
func (o *options) one(word value, words []value) (setting, []value) {
	w := word.text()
	name, after, attached := strings.Cut(w, "=")
	key := plain(name)
	if !strings.HasPrefix(w, "--") && !o.long { // -N2, -N 2, -N=2
		key = w[1:2]
		after, attached = w[2:], len(w) > 2
		if canonical, ok := o.name[plain(name)]; ok && len(name) > 2 { // -cfg, -np
			key, attached = canonical, strings.Contains(w, "=")
			_, after, _ = strings.Cut(w, "=")
		}
		after = strings.TrimPrefix(after, "=")
	}
	known := key
	if _, ok := o.arity[key]; !ok && strings.HasPrefix(w, "--") {
		known = o.abbreviated(key)
	}
	arity, ok := o.arity[known]
	canonical := o.name[known]
	if !ok {
		canonical = key
		if !attached && strings.HasPrefix(w, "--") && len(words) > 1 && !strings.HasPrefix(words[0].text(), "-") && !runnable(words[0].text()) {
			arity = 1
		}
	}
	s := setting{name: canonical}
	if attached && (arity > 0 || strings.HasPrefix(w, "--")) {
		s.args = []value{word.cutPrefix(len(w) - len(after))}
		return s, words
	}
	if attached && len(after) > 0 { // a cluster of switches: -lm
		s.args = nil
		return s, words
	}
	for ; arity > 0 && len(words) > 0; arity-- {
		s.args = append(s.args, words[0])
		words = words[1:]
	}
	return s, words
}

func (o *options) abbreviated(key string) string {
	found := ""
	for full := range o.arity {
		if strings.HasPrefix(full, key) && len(key) > 2 {
			if found != "" && o.name[found] != o.name[full] {
				return key
			}
			if found == "" || full < found {
				found = full
			}
		}
	}
	if found == "" {
		return key
	}
	return found
}
