package pyeval

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

var errNotSmall = errors.New("not a small number")

// repoPath is where a path of the program lies in the repository: relative
// paths start in the working folder.
func (in *Interp) repoPath(p string) (string, bool) {
	p = strings.TrimPrefix(p, "file://")
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.Contains(p, "://") {
		return "", false
	}
	full := path.Join(in.program.Dir, p)
	if strings.HasPrefix(full, "..") {
		return "", false
	}
	return full, true
}

// anchored are paths that were made from __file__: relative to the root
// already. A path that exists from the working folder wins.
func (in *Interp) resolvePath(p string) (string, bool) {
	full, ok := in.repoPath(p)
	if ok && (in.root.IsFile(full) || in.root.IsDir(full)) {
		return full, true
	}
	if file, found := in.mounted(p); !ok && found {
		return file, true
	}
	if clean := path.Clean(p); ok && in.program.Dir != "." && !strings.HasPrefix(clean, "..") && (in.root.IsFile(clean) || in.root.IsDir(clean)) {
		return clean, true
	}
	return full, ok
}

// mounted finds the file of the repository behind an absolute path: containers
// mount a repository elsewhere, so that "/workspace/app/configs/large.json" is
// "configs/large.json". One part alone says too little.
func (in *Interp) mounted(p string) (string, bool) {
	if !strings.HasPrefix(p, "/") {
		return "", false
	}
	parts := strings.Split(strings.Trim(path.Clean(p), "/"), "/")
	for i := 1; i+2 <= len(parts) && i < 8; i++ {
		tail := path.Join(parts[i:]...)
		for _, dir := range []string{in.program.Dir, "."} {
			if full := path.Join(dir, tail); in.root.IsFile(full) {
				return full, true
			}
		}
	}
	return "", false
}

func (in *Interp) pathExists(v Value, dir bool) Value {
	if v.Kind != Str {
		return unknown("whether %s exists", v.String())
	}
	if v.Text == "" {
		return boolean(false).with(v.Origin)
	}
	if full, ok := in.resolvePath(v.Text); ok {
		if dir && !in.root.IsDir(full) && in.root.IsFile(path.Join(path.Dir(full), "__init__.py")) { // a part of a package comes with it
			return boolean(false).with(v.Origin)
		}
		if in.root.IsDir(full) || (!dir && in.root.IsFile(full)) {
			return boolean(true).with(v.Origin)
		}
		switch extension(full) {
		case ".yaml", ".yml", ".toml", ".py", ".cfg", ".gin", ".ini": // code comes with the submission; data, and folders that hold it, need not
			if in.root.IsDir(path.Dir(full)) {
				return boolean(false).with(v.Origin)
			}
		}
	}
	return unknown("whether %s exists where the job runs", v.Text)
}

// textFile is an open file of the repository.
type textFile struct {
	path Value
	text Value
}

var fileClass = nativeClass("file")

func (in *Interp) openFile(c *Call) Value {
	p, _ := c.Arg("file", 0)
	if mode, ok := c.text("mode", 1); ok && strings.ContainsAny(mode, "wax") {
		return Value{Kind: ExternalKind, Ref: &External{Name: "builtins.file", Call: c, solid: true}}
	}
	if p.Kind == CandidatesKind {
		return unknown("one of several files")
	}
	f := &textFile{path: p, text: in.readText(p)}
	o := in.object(fileClass)
	o.data = f
	o.Attrs.set(str("name"), p)
	return Value{Kind: ObjectKind, Ref: o, Origin: p.Origin}
}

// readText is the text of a file of the repository.
func (in *Interp) readText(p Value) Value {
	if p.Kind != Str {
		return unknown("the text of a file with an unknown name: %s", p.Text)
	}
	full, ok := in.resolvePath(p.Text)
	if !ok {
		return unknown("%s lies outside of the repository", p.Text)
	}
	text, err := in.root.Read(full)
	if err != nil {
		in.missing(full, err)
		if errors.Is(err, fs.ErrNotExist) && in.trying > 0 && in.doubt == 0 {
			in.raise("FileNotFoundError", "%s", full)
		}
		return unknown("%v", err)
	}
	return str(string(text)).with(p.Origin)
}

func (in *Interp) missing(full string, err error) {
	if errors.Is(err, fs.ErrNotExist) && len(in.saw.Missing) < 100 {
		in.saw.Missing = append(in.saw.Missing, Missing{Path: full, Site: in.line, Doubt: in.doubt > 0 || in.trying > 0})
		return
	}
	in.note("%v", err)
}

func (f *textFile) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "read":
		return bound(self, "file.read", func(*Interp, *Call) Value { return f.text }), true
	case "readlines", "__iter__":
		return bound(self, "file.readlines", func(in *Interp, c *Call) Value { return in.lines(f.text) }), true
	case "close", "flush", "seek":
		return bound(self, "file.close", func(*Interp, *Call) Value { return none() }), true
	}
	return Value{}, false
}

func (in *Interp) lines(text Value) Value {
	if text.Kind != Str {
		return unknown("the lines of an unknown file")
	}
	out := &List{born: in.born()}
	for _, l := range strings.SplitAfter(text.Text, "\n") {
		if l != "" && len(out.Items) < listItems {
			out.Items = append(out.Items, str(l))
		}
	}
	return Value{Kind: ListKind, Ref: out, Origin: text.Origin}
}

func (in *Interp) listDir(p Value, full bool) Value {
	if p.Kind != Str {
		return unknown("a folder with an unknown name")
	}
	where, ok := in.resolvePath(p.Text)
	if !ok || !in.root.IsDir(where) {
		return unknown("the folder %s", p.Text)
	}
	if in.keptEmpty(where) {
		return unknown("the folder %s, which is filled where the job runs", p.Text)
	}
	out := &List{born: in.born()}
	for _, e := range in.root.List(where) {
		name := e.Name()
		if full {
			name = joinPath(p.Text, name)
		}
		out.Items = append(out.Items, str(name))
	}
	return Value{Kind: ListKind, Ref: out}
}

// keptEmpty reports a folder that is in the repository for its place alone: a
// ".gitkeep" or a note stands for the data that belong there.
func (in *Interp) keptEmpty(dir string) bool {
	entries := in.root.List(dir)
	for _, e := range entries {
		if e.IsDir() || !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(strings.ToUpper(e.Name()), "README") {
			return false
		}
	}
	return len(entries) > 0 && dir != "."
}

// glob lists the files of the repository that match a pattern of one level, or
// of any depth with **.
func (in *Interp) glob(pattern string, at Value) Value {
	full, ok := in.repoPath(pattern)
	if !ok {
		return unknown("files outside of the repository")
	}
	base := fixedPart(full)
	if clean := path.Clean(pattern); !in.root.IsDir(base) && in.root.IsDir(fixedPart(clean)) { // made from __file__
		full, base = clean, fixedPart(clean)
	}
	if !in.root.IsDir(base) {
		return unknown("the files of %s, which is not in the repository", base)
	}
	if in.keptEmpty(base) {
		return unknown("the files of %s, which is filled where the job runs", base)
	}
	out := &List{born: in.born()}
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		for _, e := range in.root.List(dir) {
			name := path.Join(dir, e.Name())
			if hit, _ := path.Match(strings.ReplaceAll(full, "**/", ""), name); hit || (strings.Contains(full, "**") && matchLast(full, name)) {
				out.Items = append(out.Items, str(name))
			}
			if e.IsDir() && depth > 0 && strings.Contains(full, "**") {
				walk(name, depth-1)
			}
		}
	}
	walk(base, 6)
	return Value{Kind: ListKind, Ref: out, Origin: at.Origin}
}

// fixedPart is the folder of a pattern that has no wildcard in it.
func fixedPart(pattern string) string {
	for strings.ContainsAny(pattern, "*?[") {
		pattern = path.Dir(pattern)
	}
	return pattern
}

func matchLast(pattern, name string) bool {
	hit, _ := path.Match(path.Base(pattern), path.Base(name))
	return hit
}
