package pyeval

import (
	"path"
	"strings"

	"schedmate/advisor/conf"
	"schedmate/advisor/origin"
)

// configargparse: options may stand in files, weaker than the command and
// stronger than defaults in code.

// configFiles reads the files that a parser names always, and those that the
// words name with an option that takes one.
func (in *Interp) configFiles(p *ArgumentParser, words []Value) {
	for _, f := range p.configDefaults {
		if full, ok := in.resolvePath(f.Text); ok && f.Kind == Str && in.root.IsFile(full) {
			in.configArguments(p, full)
		}
	}
	for _, o := range p.Options {
		if !o.isConfig {
			continue
		}
		file := o.Default
		for i, w := range words {
			name, value, has := strings.Cut(w.Text, "=")
			for _, n := range o.Names {
				switch {
				case w.Kind != Str || name != n:
				case has:
					file = str(value).with(w.Origin)
				case i+1 < len(words):
					file = words[i+1]
				}
			}
		}
		if file.Kind != Str {
			continue
		}
		if full, ok := in.confPath(file); ok {
			in.configArguments(p, full)
		}
	}
}

// configArguments takes the defaults of options from one file of "key = value"
// or "key: value" lines.
func (in *Interp) configArguments(p *ArgumentParser, full string) {
	text, err := in.root.Read(full)
	if err != nil {
		in.missing(full, err)
		return
	}
	set := map[string]Value{}
	if ext := path.Ext(full); ext == ".yaml" || ext == ".yml" || ext == ".json" || ext == ".toml" {
		if n, ok := in.loadConf(str(full), conf.PyYAML); ok {
			in.fromNode(n, false).Dict().eachSafe(func(k, v Value) { set[k.Text] = v })
		}
	} else {
		for i, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.ContainsRune("#;[", rune(line[0])) || strings.HasPrefix(line, "---") {
				continue
			}
			key, value := line, "true"
			if at := strings.IndexAny(line, "=: \t"); at > 0 {
				key, value = line[:at], strings.TrimSpace(strings.TrimLeft(line[at:], "=: \t"))
			}
			value, _, _ = strings.Cut(value, " #")
			set[strings.TrimLeft(key, "-")] = str(strings.Trim(strings.TrimSpace(value), `"'`)).with(origin.At(origin.TOML, full, i+1, key))
		}
	}
	for _, o := range p.Options {
		for _, n := range o.Names {
			v, ok := set[strings.TrimLeft(n, "-")]
			if !ok {
				continue
			}
			at := v.Origin
			if l, isList := v.Ref.(*List); isList {
				for i := range l.Items {
					l.Items[i] = in.converted(o, l.Items[i])
				}
			} else if v.Kind == Str {
				switch {
				case o.Action == "store_true" || o.Action == "store_false":
					yes := strings.EqualFold(v.Text, "true") || v.Text == "1" || strings.EqualFold(v.Text, "yes")
					v = boolean(yes == (o.Action == "store_true"))
				case strings.HasPrefix(v.Text, "["):
					v = in.scalar(v)
				default:
					v = in.converted(o, v)
				}
			}
			o.Default = setting(v, at, o.Default)
			p.defaults[o.Dest] = o.Default
		}
	}
}

func (d *Dict) eachSafe(f func(k, v Value)) {
	if d != nil {
		d.Each(f)
	}
}
