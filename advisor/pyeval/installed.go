package pyeval

import (
	"path"
	"regexp"
	"strings"
)

// A package may be installed from folders of other names: setup.py tells them
// under package_dir.

var packageFolder = regexp.MustCompile(`["']([\w.]*)["']\s*:\s*["']([\w./-]+)["']`)

// packageFolders maps names of packages to their folders, as far as setup.py
// has them written down.
func (in *Interp) packageFolders() map[string]string {
	if in.folders != nil {
		return in.folders
	}
	in.folders = map[string]string{}
	if !in.root.IsFile("setup.py") {
		return in.folders
	}
	text, err := in.root.Read("setup.py")
	if err != nil || !strings.Contains(string(text), "package_dir") {
		return in.folders
	}
	for _, m := range packageFolder.FindAllStringSubmatch(string(text), 200) {
		if dir := path.Clean(m[2]); in.root.IsDir(dir) && dir != strings.ReplaceAll(m[1], ".", "/") {
			in.folders[m[1]] = dir
		}
	}
	return in.folders
}

// installedAs is the place of a module, without ".py", by the folders that its
// package is installed from.
func (in *Interp) installedAs(name string) (string, bool) {
	folders := in.packageFolders()
	if len(folders) == 0 {
		return "", false
	}
	rest := ""
	for pkg := name; ; {
		if dir, ok := folders[pkg]; ok {
			return path.Join(dir, rest), true
		}
		if pkg == "" {
			return "", false
		}
		i := strings.LastIndex(pkg, ".")
		rest = path.Join(pkg[i+1:], rest)
		pkg = pkg[:max(i, 0)]
	}
}
