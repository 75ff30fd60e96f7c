package conf

import (
	"fmt"
	"strings"

	"schedmate/advisor/origin"
)

// entry is one line of a defaults list, with the place in the tree of configs
// that gives it its meaning.
type entry struct {
	isConfig   bool   // "- path"; otherwise "- group: value"
	path       string // of a config
	group      string
	value      string
	null       bool     // "- group: null"
	options    []string // "- group: [a, b]"
	isList     bool
	pkg        string
	hasPkg     bool
	header     string // package of the config's header line
	hasHeader  bool
	optional   bool
	override   bool
	appended   bool // by the command: "+group=value"
	primary    bool
	deleted    bool
	parentDir  string
	parentPkg  string
	underHydra bool // an option of Hydra's own groups without a file here
	origin     *origin.Origin
}

func (e *entry) self() bool { return e.isConfig && e.path == "_self_" }

// maxName bounds the names in defaults lists; packages are made of many.
const maxName = 200

// newEntry reads one item of a defaults list.
func newEntry(item *Node) (*entry, error) {
	e := &entry{origin: item.Origin}
	switch {
	case item.Kind == String && len(item.Text) <= maxName:
		e.isConfig = true
		e.path = e.takePackage(item.Text)
		return e, nil
	case item.Kind != Map || len(item.Keys) == 0 || len(item.Keys[0]) > maxName:
		return nil, fmt.Errorf("%s: an item of a defaults list is neither a config nor group: option; correct it", item.Origin.Place())
	}
	key := item.Keys[0]
	if flag := item.Fields["optional"]; flag != nil && len(item.Keys) == 2 { // the form of Hydra 1.0
		e.optional = flag.Kind == Bool && flag.Bool
		if key == "optional" {
			key = item.Keys[1]
		}
	}
	words := strings.Fields(key)
	if len(words) == 0 {
		return nil, fmt.Errorf("%s: a defaults list names an empty group; correct it", item.Origin.Place())
	}
	for _, word := range words[:len(words)-1] {
		e.optional = e.optional || word == "optional"
		e.override = e.override || word == "override"
	}
	e.group = e.takePackage(words[len(words)-1])
	if strings.Trim(e.group, "/") == "" {
		return nil, fmt.Errorf("%s: a defaults list names an empty group; correct it", item.Origin.Place())
	}
	e.choose(item.Fields[key])
	e.origin = item.Fields[key].Origin
	return e, nil
}

// takePackage splits "group@package".
func (e *entry) takePackage(text string) string {
	name, pkg, found := strings.Cut(text, "@")
	if found {
		e.pkg, e.hasPkg = pkg, true
		if i := strings.LastIndexByte(pkg, ':'); i >= 0 {
			e.pkg = pkg[i+1:]
		}
		if e.pkg == "_here_" {
			e.pkg = ""
		}
	}
	return name
}

// choose sets the option or options of a group.
func (e *entry) choose(v *Node) {
	e.value, e.null, e.isList, e.options = "", false, false, nil
	switch {
	case v == nil || v.Kind == Null:
		e.null = true
	case v.Kind == List:
		e.isList = true
		for _, item := range v.Items {
			e.options = append(e.options, item.text())
		}
	default:
		e.value = v.text()
	}
}

func join(dir, name string) string {
	if dir == "" || name == "" {
		return dir + name
	}
	return dir + "/" + name
}

// ownGroup is the group as it is written, relative to the config that names it.
func (e *entry) ownGroup() string {
	if !e.isConfig {
		return strings.TrimPrefix(e.group, "/")
	}
	p := strings.TrimPrefix(e.path, "/")
	return p[:max(0, strings.LastIndexByte(p, '/'))]
}

// groupPath is the group from the top of the search path.
func (e *entry) groupPath() string {
	absolute := strings.HasPrefix(e.group, "/") || strings.HasPrefix(e.path, "/") || e.appended
	if absolute {
		return e.ownGroup()
	}
	return join(e.parentDir, e.ownGroup())
}

func (e *entry) name() string {
	if e.isConfig {
		return e.path[strings.LastIndexByte(e.path, '/')+1:]
	}
	return e.value
}

func (e *entry) configPath() string {
	if e.isConfig {
		if strings.HasPrefix(e.path, "/") {
			return e.path[1:]
		}
		return join(e.parentDir, e.path)
	}
	return join(e.groupPath(), e.value)
}

// finalPackage is where the config's values go, from the top of the tree.
// Without header, the config's own header line does not count.
func (e *entry) finalPackage(header bool) string {
	pkg := strings.ReplaceAll(e.ownGroup(), "/", ".")
	switch {
	case e.hasPkg:
		pkg = e.pkg
	case header && e.hasHeader:
		pkg = e.header
		if pkg != "_global_" && !strings.HasPrefix(pkg, "_global_.") { // a header is absolute
			pkg = strings.TrimSuffix("_global_."+pkg, ".")
		}
	}
	pkg = strings.ReplaceAll(pkg, "_group_", strings.ReplaceAll(e.groupPath(), "/", "."))
	pkg = strings.ReplaceAll(pkg, "_name_", e.name())
	if e.parentPkg != "" && !e.appended {
		pkg = strings.TrimSuffix(e.parentPkg+"."+pkg, ".")
	}
	if i := strings.LastIndex(pkg, "_global_"); i >= 0 {
		pkg = strings.TrimPrefix(pkg[i+len("_global_"):], ".")
	}
	return pkg
}

// key is the name under which the command or an override chooses the entry.
func (e *entry) key() string {
	group := e.groupPath()
	pkg := e.finalPackage(false)
	if pkg == strings.ReplaceAll(group, "/", ".") {
		return group
	}
	if pkg == "" {
		pkg = "_global_"
	}
	return group + "@" + pkg
}
