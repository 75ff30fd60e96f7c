package schedmate_test

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// orderedMark allows a range over a map whose result does not depend on the
// order. It stands on the line of the loop or above it, with the reason:
//
//	//schedmate:ordered sums do not depend on the order
const orderedMark = "//schedmate:ordered"

// coreViolations holds the production code of the core to what its imports
// alone do not show: no goroutines, no dependence on the order of a map, no
// output, no code that differs between machines.
func (src *sourceTree) coreViolations() []violation {
	core := &coreTypes{
		src: src, packages: make(map[string]*types.Package),
		info: &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object)},
	}
	var found []violation
	for _, f := range src.files {
		if f.test || !matches(f.folder, corePackages) {
			continue
		}
		if _, err := core.load(f.folder); err != nil {
			found = append(found, violation{f.name, "law 2", "cannot be checked: " + err.Error(), "only code whose types are known can be judged"})
			continue
		}
		found = append(found, core.violations(f)...)
	}
	return found
}

// coreTypes computes the types of our own packages from their syntax.
type coreTypes struct {
	src      *sourceTree
	packages map[string]*types.Package // by folder; nil while it loads
	info     *types.Info
}

// compiled imports the packages of pureStandard from what the compiler knows
// about them.
var compiled = sync.OnceValues(func() (types.Importer, error) {
	list := exec.Command("go", append([]string{"list", "-export", "-f", "{{.ImportPath}}={{.Export}}"}, pureStandard...)...)
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[name] = file
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(files[name]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open), nil
})

// Import implements types.Importer.
func (c *coreTypes) Import(importPath string) (*types.Package, error) {
	switch from, folder := classify(importPath); from {
	case ours:
		return c.load(folder)
	case standard:
		if matches(importPath, pureStandard) {
			standard, err := compiled()
			if err != nil {
				return nil, err
			}
			return standard.Import(importPath)
		}
	}
	return nil, fmt.Errorf("the core does not import %s", importPath)
}

func (c *coreTypes) load(folder string) (*types.Package, error) {
	if p, ok := c.packages[folder]; ok {
		if p == nil {
			return nil, fmt.Errorf("%s imports itself", folder)
		}
		return p, nil
	}
	c.packages[folder] = nil
	var files []*ast.File
	for _, f := range c.src.files {
		if f.folder == folder && !f.test {
			files = append(files, f.syntax)
		}
	}
	var wrong error
	config := types.Config{Importer: c, FakeImportC: true, Error: func(err error) {
		// An import that is refused is reported by its own law; what follows
		// from it is not worth a word.
		if wrong == nil && !strings.Contains(err.Error(), "could not import") {
			wrong = err
		}
	}}
	p, err := config.Check(modulePath+"/"+folder, c.src.fset, files, c.info)
	if wrong != nil {
		delete(c.packages, folder)
		return nil, wrong
	}
	if p == nil {
		return nil, err
	}
	c.packages[folder] = p
	return p, nil
}

func (c *coreTypes) violations(f sourceFile) []violation {
	const (
		order  = "the order of a map differs from run to run: sort the keys, or say after " + orderedMark + " why it does not matter"
		output = "the core computes; whoever calls it writes"
	)
	var found []violation
	report := func(pos token.Pos, what, why string) {
		found = append(found, violation{c.src.at(pos), "law 2", what, why})
	}
	if tag := buildTag(f.syntax); tag.IsValid() {
		report(tag, "has a build tag", "the same code plans on every machine")
	}
	allowed := c.orderedLines(f)
	sorted := make(map[ast.Node]bool) // calls of maps.Keys and the like whose result is sorted at once
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n.Pos(), "starts a goroutine", "the order of goroutines differs from run to run")
		case *ast.SelectStmt:
			report(n.Pos(), "selects between channels", "the order of goroutines differs from run to run")
		case *ast.RangeStmt:
			if allowed[c.src.fset.Position(n.Pos()).Line] {
				return true
			}
			switch known := c.info.TypeOf(n.X); {
			case known == nil || known == types.Typ[types.Invalid]:
				report(n.Pos(), "ranges over something of unknown type", "only code whose types are known can be judged")
			case isMap(known):
				report(n.Pos(), "ranges over a map", order)
			}
		case *ast.CallExpr:
			switch name := c.calledFunction(n); {
			case name == "slices.Sorted" && len(n.Args) == 1:
				sorted[n.Args[0]] = true
			case slices.Contains([]string{"maps.Keys", "maps.Values", "maps.All"}, name):
				if !sorted[n] && !allowed[c.src.fset.Position(n.Pos()).Line] {
					report(n.Pos(), "walks a map by "+name, order)
				}
			case strings.HasPrefix(name, "fmt.Print") || strings.HasPrefix(name, "fmt.Scan") || name == "builtin.print" || name == "builtin.println":
				report(n.Pos(), "calls "+name, output)
			}
		}
		return true
	})
	return found
}

// isMap also says yes to a type parameter that a map can stand for.
func isMap(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface: // the constraint of a type parameter
		for i := range u.NumEmbeddeds() {
			if union, ok := u.EmbeddedType(i).(*types.Union); ok {
				for k := range union.Len() {
					if isMap(union.Term(k).Type()) {
						return true
					}
				}
			} else if isMap(u.EmbeddedType(i)) {
				return true
			}
		}
	}
	return false
}

// calledFunction returns package and name of a function that is called
// directly, such as "maps.Keys".
func (c *coreTypes) calledFunction(call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok { // an explicit type argument
		fun = index.X
	}
	var id *ast.Ident
	switch fun := fun.(type) {
	case *ast.SelectorExpr:
		id = fun.Sel
	case *ast.Ident:
		id = fun
	default:
		return ""
	}
	switch object := c.info.Uses[id].(type) {
	case *types.Builtin:
		return "builtin." + object.Name()
	case *types.Func:
		if object.Pkg() != nil && object.Signature().Recv() == nil {
			return object.Pkg().Path() + "." + object.Name()
		}
	}
	return ""
}

// orderedLines returns the lines for which an orderedMark with a reason speaks.
func (c *coreTypes) orderedLines(f sourceFile) map[int]bool {
	lines := make(map[int]bool)
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if why, ok := strings.CutPrefix(comment.Text, orderedMark); ok && strings.TrimSpace(why) != "" {
				line := c.src.fset.Position(comment.Pos()).Line
				lines[line], lines[line+1] = true, true
			}
		}
	}
	return lines
}

func buildTag(f *ast.File) token.Pos {
	for _, group := range f.Comments {
		for _, comment := range group.List {
			if comment.Pos() < f.Package && constraint.IsGoBuild(comment.Text) {
				return comment.Pos()
			}
		}
	}
	return token.NoPos
}
