package schedmate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

const modulePath = "schedmate"

// origin is where an imported package comes from.
type origin int

const (
	standard origin = iota // the standard library
	ours                   // this module
	foreign                // another module
)

// importLaw binds the packages who in what they import of one origin: only the
// ones that match only (none, when it is empty), or, if never is given, all
// but the ones that match never.
type importLaw struct {
	law         string // number in the list of laws of docs/architecture.md
	who, except []string
	of          origin
	only, never []string
	sameBranch  bool // an import up or down one's own branch of the tree is no violation
	inTests     bool
	why         string
}

// guardLaw says by whom a package may be imported.
type guardLaw struct {
	law      string
	what, by []string
	inTests  bool
	why      string
}

// nameLaw forbids selecting certain names, such as x.Occupancy.
type nameLaw struct {
	law        string
	who, names []string
	why        string
}

// violation is one breach of one law at one place.
type violation struct {
	where string // file:line
	law   string
	what  string
	why   string
}

func (v violation) String() string {
	return fmt.Sprintf("%s: %s: %s (%s)", v.where, v.law, v.what, v.why)
}

// sourceFile is one parsed Go file.
type sourceFile struct {
	folder string // package folder; "." is the root
	name   string // path in the tree
	test   bool
	syntax *ast.File
	text   []byte
}

// sourceTree is all Go code of the module.
type sourceTree struct {
	fset  *token.FileSet
	files []sourceFile
}

// checkArchitecture returns every breach of a law in a module's tree, in the
// order of the files.
func checkArchitecture(tree fs.FS) ([]violation, error) {
	src, err := parseTree(tree)
	if err != nil {
		return nil, err
	}
	var found []violation
	for _, f := range src.files {
		found = append(found, src.importViolations(f)...)
		found = append(found, src.nameViolations(f)...)
		found = append(found, src.packageNameViolations(f)...)
	}
	found = append(found, src.coreViolations()...)
	found = append(found, src.commentViolations()...)
	experiments, err := src.experimentViolations(tree)
	return append(found, experiments...), err
}

// parseTree reads every Go file of the module. Build tags are not looked at: a
// law holds on every machine.
func parseTree(tree fs.FS) (*sourceTree, error) {
	src := &sourceTree{fset: token.NewFileSet()}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor" || name == "out") {
				return fs.SkipDir
			}
			if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(src.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse %s: %w", name, err)
		}
		src.files = append(src.files, sourceFile{
			folder: path.Dir(name), name: name, test: strings.HasSuffix(base, "_test.go"), syntax: syntax, text: text,
		})
		return nil
	})
	return src, err
}

func (src *sourceTree) at(pos token.Pos) string {
	p := src.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// classify returns the origin of an import path, and the folder of one of ours.
func classify(importPath string) (origin, string) {
	if importPath == modulePath {
		return ours, "."
	}
	if folder, ok := strings.CutPrefix(importPath, modulePath+"/"); ok {
		return ours, folder
	}
	if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
		return foreign, importPath
	}
	return standard, importPath
}

// matches reports whether a package is one of the patterns.
func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if base, ok := strings.CutSuffix(p, "/..."); ok {
			return within(name, base)
		}
		return name == p
	})
}

func within(name, base string) bool { return name == base || strings.HasPrefix(name, base+"/") }

// importViolations reports each unlawful import once, by the first law against it.
func (src *sourceTree) importViolations(f sourceFile) []violation {
	var found []violation
	for _, spec := range f.syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has refused it
		}
		if law, why, broken := brokenBy(f, importPath); broken {
			found = append(found, violation{src.at(spec.Pos()), "law " + law, "imports " + importPath, why})
		}
	}
	return found
}

// brokenBy returns the first law that forbids the file this import.
func brokenBy(f sourceFile, importPath string) (law, why string, broken bool) {
	from, name := classify(importPath)
	for _, l := range importLaws {
		if from != l.of || f.test && !l.inTests || !matches(f.folder, l.who) || matches(f.folder, l.except) {
			continue
		}
		if l.sameBranch && (within(name, f.folder) || within(f.folder, name)) {
			continue
		}
		if l.never != nil && matches(name, l.never) || l.never == nil && !matches(name, l.only) {
			return l.law, l.why, true
		}
	}
	for _, l := range guardLaws {
		if (!f.test || l.inTests) && matches(name, l.what) && !matches(f.folder, l.by) {
			return l.law, l.why, true
		}
	}
	return "", "", false
}

func (src *sourceTree) nameViolations(f sourceFile) []violation {
	var found []violation
	for _, l := range nameLaws {
		if f.test || !matches(f.folder, l.who) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(l.names, s.Sel.Name) {
				found = append(found, violation{src.at(s.Sel.Pos()), "law " + l.law, "uses " + s.Sel.Name, l.why})
			}
			return true
		})
	}
	return found
}
