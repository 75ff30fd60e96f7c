package schedmate_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// packageNameViolations refuses package names that say nothing, as a folder or
// as a package clause.
func (src *sourceTree) packageNameViolations(f sourceFile) []violation {
	name := strings.TrimSuffix(f.syntax.Name.Name, "_test")
	if !slices.Contains(vagueNames, name) && !slices.Contains(vagueNames, path.Base(f.folder)) {
		return nil
	}
	return []violation{{src.at(f.syntax.Name.Pos()), "naming", "package " + name + " in " + f.folder,
		"a package is named after the one thing it holds"}}
}

// commentViolations wants a comment on every package, in one of its files.
func (src *sourceTree) commentViolations() []violation {
	commented := make(map[string]bool)
	var first []sourceFile // of each folder with production code
	for _, f := range src.files {
		if f.test {
			continue
		}
		if len(first) == 0 || first[len(first)-1].folder != f.folder {
			first = append(first, f)
		}
		text := f.syntax.Doc.Text()
		if strings.HasPrefix(text, "Package "+f.syntax.Name.Name+" ") || f.syntax.Name.Name == "main" && text != "" {
			commented[f.folder] = true
		}
	}
	var found []violation
	reported := make(map[string]bool)
	for _, f := range first {
		if !commented[f.folder] && !reported[f.folder] {
			reported[f.folder] = true
			found = append(found, violation{src.at(f.syntax.Name.Pos()), "package comment", "package " + f.syntax.Name.Name + " has none",
				"a newcomer reads the package comments in order and then knows the system"})
		}
	}
	return found
}

// experimentViolations finds names of experiments in production code: an
// experiment is data, and the program treats all of them alike.
func (src *sourceTree) experimentViolations(tree fs.FS) ([]violation, error) {
	files, err := fs.Glob(tree, "eval/experiments/*.yaml")
	if err != nil {
		return nil, err
	}
	var found []violation
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		word := regexp.MustCompile(`(^|[^A-Za-z0-9_-])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_-])`)
		for _, f := range src.files {
			if f.test {
				continue
			}
			if at := word.FindIndex(f.text); at != nil {
				line := src.fset.File(f.syntax.FileStart).Pos(at[0] + strings.Index(string(f.text[at[0]:at[1]]), name))
				found = append(found, violation{src.at(line), "experiments are data", "names " + name,
					"an experiment is a file that anybody may add, so code knows none by name"})
			}
		}
	}
	return found, nil
}
