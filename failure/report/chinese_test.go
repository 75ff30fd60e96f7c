package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// reasonShape is a reason as the code of the handler writes it: four words or more, and
// nothing of a pattern.
var reasonShape = regexp.MustCompile(`^[a-z][^\\*+{}|\[\]]*( [^ \\*+{}|\[\]]+){3,}$`)

// said is where a sentence is said, and whether its Chinese stands beside it.
type said struct {
	file       string
	translated bool
}

// reasonsInCode are the sentences that the handler's own code says, other than in
// errors. Numbers and names are put in.
func reasonsInCode(t *testing.T) map[string]said {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of the handler: %v", err)
	}
	out := map[string]said{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "saved.go" { // how a reading was found is not told
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		beside := map[ast.Node]bool{} // texts that stand beside their Chinese
		ast.Inspect(tree, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Errorf" || f.Sel.Name == "New") {
					return false
				}
				if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" {
					return false
				}
			}
			switch n := n.(type) {
			case *ast.KeyValueExpr: // what the code's own parts are called
				if key := fmt.Sprint(n.Key); key == "name" || key == "means" {
					return false
				}
			case *ast.CompositeLit:
				for _, text := range inBoth(n) {
					beside[text] = true
				}
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && reasonShape.MatchString(s) {
					out[strings.NewReplacer("%d", "3", "%s", "ALLREDUCE").Replace(s)] = said{file, beside[n]}
				}
			}
			return true
		})
	}
	return out
}

// inBoth are the texts of a value that holds Chinese, too.
func inBoth(value *ast.CompositeLit) []ast.Node {
	var texts []ast.Node
	chinese := false
	for _, e := range value.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if text, ok := e.(*ast.BasicLit); ok {
			texts = append(texts, text)
			chinese = chinese || strings.ContainsFunc(text.Value, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		}
	}
	if !chinese {
		return nil
	}
	return texts
}

// reasonsInRules are the sentences of links and other readings in the rules, as a
// text or in several languages.
func reasonsInRules(t *testing.T) map[string]said {
	t.Helper()
	files, err := filepath.Glob("../rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	out := map[string]said{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tree yaml.Node
		if err := yaml.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		var walk func(n *yaml.Node)
		walk = func(n *yaml.Node) {
			for i, child := range n.Content {
				if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "why" {
					var text string
					var texts struct{ En, Zh string }
					if child.Decode(&text) != nil && child.Decode(&texts) == nil {
						text = texts.En
					}
					out[text] = said{file, texts.Zh != ""}
				}
				walk(child)
			}
		}
		walk(&tree)
	}
	return out
}

// Every reason that a report can give is there in Chinese.
func TestEveryReasonHasAChineseForm(t *testing.T) {
	code, rules := reasonsInCode(t), reasonsInRules(t)
	if len(code)+len(rules) < 50 {
		t.Errorf("found %d sentences in code and %d in rules: the search misses some", len(code), len(rules))
	}
	for _, from := range []map[string]said{code, rules} {
		for text, s := range from {
			if !s.translated && Chinese.translated(text) == text {
				t.Errorf("%s says %q, which has no Chinese form: add it to chinese.go", s.file, text)
			}
		}
	}
	for text := range chinese {
		if code[text].file == "" && rules[text].file == "" {
			t.Errorf("nothing says %q any more: take it out of chinese.go", text)
		}
	}
}

// What has numbers keeps them.
func TestChineseReasonsKeepTheirNumbers(t *testing.T) {
	for english, want := range map[string]string{
		"rank 5 is the only one that did not wait":                                "只有 rank 5 没有等待",
		"rank 1 waits in collective 41, the others in 42":                         "rank 1 在第 41 次集合通信中等待，其他 rank 在第 42 次",
		"collective 7 is ALLREDUCE of 16 on rank 0 and BROADCAST of 16 on rank 3": "第 7 次集合通信在 rank 0 上是 ALLREDUCE（16），在 rank 3 上是 BROADCAST（16）",
	} {
		if got := Chinese.translated(english); got != want {
			t.Errorf("%q: got %q, want %q", english, got, want)
		}
		if got := English.translated(english); got != english {
			t.Errorf("English changes %q to %q", english, got)
		}
	}
}

// The rules' own translation comes first, and the handler's table after it.
func TestRulesTranslateTheirReasons(t *testing.T) {
	own := func(english string) string {
		if english == "the day was long" {
			return "天色已晚"
		}
		return english
	}
	p := &page{Lang: Chinese, reasons: own}
	for english, want := range map[string]string{"the day was long": "天色已晚", "the logs do not name the node": "日志没有指明节点", "nobody knows it": "nobody knows it"} {
		if got := p.translated(english); got != want {
			t.Errorf("%q: got %q, want %q", english, got, want)
		}
	}
	if got := (&page{Lang: English, reasons: own}).translated("the day was long"); got != "the day was long" {
		t.Errorf("English gives %q", got)
	}
}
