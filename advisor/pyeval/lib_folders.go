package pyeval

import (
	"path"
	"strings"
)

// Folders as programs go through them: registries are filled by importing each
// module of a package that a listing finds.
func init() {
	native(func(in *Interp, c *Call) Value { return in.scandir(c) }, "os.scandir")
	native(func(in *Interp, c *Call) Value { return in.walkFolders(c) }, "os.walk")
	native(func(in *Interp, c *Call) Value { return in.listModules(c, false) }, "pkgutil.iter_modules")
	native(func(in *Interp, c *Call) Value { return in.listModules(c, true) }, "pkgutil.walk_packages")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Kind != Str {
			return unknown("a path of unknown parts")
		}
		if start, ok := c.text("start", 1); ok { // paths are relative to the root or to the working folder already
			if rest, below := strings.CutPrefix(path.Clean(v.Text), path.Clean(start)+"/"); below {
				return str(rest).with(v.Origin)
			}
		}
		return v
	}, "os.path.relpath")
}

var entryClass = nativeClass("DirEntry")

// scandir is the listing of a folder with what each entry is.
func (in *Interp) scandir(c *Call) Value {
	dir := str(".")
	if len(c.Args)+len(c.Kw) > 0 {
		dir = c.first()
	}
	where, ok := in.resolvePath(dir.Text)
	if dir.Kind != Str || !ok || !in.root.IsDir(where) {
		return unknown("the folder %s", dir.String())
	}
	out := &List{born: in.born()}
	for _, e := range in.root.List(where) {
		o := in.object(entryClass)
		o.Attrs.set(str("name"), str(e.Name()))
		o.Attrs.set(str("path"), str(joinPath(dir.Text, e.Name())))
		is := func(b bool) Value {
			return Value{Kind: NativeKind, Ref: &Native{Name: "os.DirEntry.is", Run: func(*Interp, *Call) Value { return boolean(b) }}}
		}
		o.Attrs.set(str("is_file"), is(!e.IsDir()))
		o.Attrs.set(str("is_dir"), is(e.IsDir()))
		o.Attrs.Open = true
		out.Items = append(out.Items, Value{Kind: ObjectKind, Ref: o})
	}
	in.work(len(out.Items))
	return Value{Kind: ListKind, Ref: out, Origin: dir.Origin}
}

// walkFolders lists a folder and those below it: (path, folders, files).
func (in *Interp) walkFolders(c *Call) Value {
	top := c.first()
	where, ok := in.resolvePath(top.Text)
	if top.Kind != Str || !ok || !in.root.IsDir(where) {
		return unknown("the folder %s", top.String())
	}
	out := &List{born: in.born()}
	var walk func(shown, dir string, depth int)
	walk = func(shown, dir string, depth int) {
		if depth == 0 || len(out.Items) >= 200 {
			out.Open = true
			return
		}
		folders, files := &List{born: in.born()}, &List{born: in.born()}
		for _, e := range in.root.List(dir) {
			if e.IsDir() {
				folders.Items = append(folders.Items, str(e.Name()))
			} else {
				files.Items = append(files.Items, str(e.Name()))
			}
		}
		in.work(len(folders.Items) + len(files.Items))
		out.Items = append(out.Items, tuple(str(shown).with(top.Origin), Value{Kind: ListKind, Ref: folders}, Value{Kind: ListKind, Ref: files}))
		for _, f := range folders.Items {
			walk(joinPath(shown, f.Text), path.Join(dir, f.Text), depth-1)
		}
	}
	walk(top.Text, where, 8)
	return Value{Kind: ListKind, Ref: out, Origin: top.Origin}
}

// listModules lists the modules of packages: (finder, name, ispkg).
func (in *Interp) listModules(c *Call, deep bool) Value {
	paths, ok := c.Arg("path", 0)
	dirs, whole := paths.Items()
	if paths.Kind == Str {
		dirs, whole = []Value{paths}, true
	}
	if !ok || !whole {
		return unknown("the modules of %s", paths.String())
	}
	prefix, _ := c.text("prefix", 1)
	out := &List{born: in.born()}
	var walk func(dir, prefix string, depth int)
	walk = func(dir, prefix string, depth int) {
		for _, e := range in.root.List(dir) {
			name, isModule := strings.CutSuffix(e.Name(), ".py")
			pkg := e.IsDir() && in.root.IsFile(path.Join(dir, e.Name(), "__init__.py"))
			if !pkg && (!isModule || name == "__init__") {
				continue
			}
			out.Items = append(out.Items, in.moduleInfo(prefix+name, pkg))
			if deep && pkg && depth > 0 {
				walk(path.Join(dir, e.Name()), prefix+name+".", depth-1)
			}
		}
	}
	for _, d := range dirs {
		where, ok := in.resolvePath(d.Text)
		if d.Kind != Str || !ok || !in.root.IsDir(where) {
			return unknown("the modules of %s", d.String())
		}
		walk(where, prefix, 6)
	}
	in.work(len(out.Items))
	return Value{Kind: ListKind, Ref: out}
}

var moduleInfoClass = nativeClass("ModuleInfo")

// moduleInfo is one of pkgutil's named tuples.
func (in *Interp) moduleInfo(name string, pkg bool) Value {
	o := in.object(moduleInfoClass)
	parts := tuple(unknown("a finder of modules"), str(name), boolean(pkg))
	o.Attrs.set(str("module_finder"), unknown("a finder of modules"))
	o.Attrs.set(str("name"), str(name))
	o.Attrs.set(str("ispkg"), boolean(pkg))
	o.Attrs.set(str("_items"), parts)
	return Value{Kind: ObjectKind, Ref: o}
}
