package resolve

import (
	"path"
	"strings"

	"schedmate/advisor/conf"
	"schedmate/advisor/source"
)

// console finds the function behind a console script of the repository's own
// package: in pyproject.toml, setup.cfg or setup.py. Without an entry there it
// is the module of that name.
func console(root *source.Root, name, dir string) (module, function string) {
	for d := dir; ; d = path.Dir(d) {
		for _, file := range []string{"pyproject.toml", "setup.cfg", "setup.py"} {
			text, err := root.Read(path.Join(d, file))
			if err != nil {
				continue
			}
			if m, f, ok := entryPoint(file, string(text), name); ok {
				return m, f
			}
		}
		if d == "." || d == "/" {
			break
		}
	}
	return strings.ReplaceAll(name, "-", "_"), ""
}

func entryPoint(file, text, name string) (module, function string, ok bool) {
	if file == "pyproject.toml" {
		if n, err := conf.ParseTOML(file, []byte(text)); err == nil {
			for _, key := range []string{"project.scripts", "tool.poetry.scripts"} {
				if s := n.Get(key); s != nil && s.Fields[name] != nil {
					return target(s.Fields[name].Text)
				}
			}
		}
	}
	for _, line := range strings.Split(text, "\n") { // "name = package.module:function" in either of the others
		for _, part := range strings.Split(line, ",") {
			left, right, found := strings.Cut(strings.Trim(part, " \t\r'\"[]"), "=")
			if found && strings.Trim(left, " '\"") == name && strings.Contains(right, ":") {
				return target(strings.Trim(right, " '\"[],"))
			}
		}
	}
	return "", "", false
}

func target(entry string) (module, function string, ok bool) {
	module, function, ok = strings.Cut(strings.TrimSpace(entry), ":")
	return module, function, ok
}
