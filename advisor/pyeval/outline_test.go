package pyeval

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain is a tree as text, with every body that was left out.
func (n *node) plain(b *strings.Builder, depth int) {
	field := n.field
	n = n.whole()
	b.WriteString(strings.Repeat(" ", depth) + n.kind + "|" + field + "|" + n.text + "|" + string(rune('0'+n.line%10)) + "\n")
	for _, k := range n.kids {
		k.plain(b, depth+1)
	}
}

func sameTrees(t *testing.T, text string) {
	t.Helper()
	all, err := parse([]byte(text))
	if err != nil {
		t.Skip(err)
	}
	some, err := parseOutline([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var want, got strings.Builder
	all.plain(&want, 0)
	some.plain(&got, 0)
	if d := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("the tree of the outline (-whole +outline):\n%s", d)
	}
}

func long(indent string) string {
	return strings.Repeat(indent+"x = call(a, 'b', key=[1, 2])\n", 12)
}

// A file that is read body by body has the tree that reading it at once gives,
// line numbers and all.
func TestBodiesThatAreReadLater(t *testing.T) {
	for name, text := range map[string]string{
		"functions":   "import a\n\ndef f(x, y=1):\n    '''says\n\n  what'''\n" + long("    ") + "\n\n# between\ndef g():\n" + long("  ") + "z = 3\n",
		"methods":     "class A(B):\n    k = 1\n\n    @property\n    def f(self):  # a note\n        # first\n" + long("        ") + "        def inner():\n" + long("            ") + "        return inner\n\n    async def g(self):\n" + long("        ") + "b = A()\n",
		"long head":   "def f(\n    a: int = 1,  # one\n    b=(2, 3),\n) -> Dict[str, int]:\n" + long("    ") + "    yield a\n",
		"strings":     "def f():\n" + long("    ") + "    s = \"\"\"\ndef g():\n  '\"\"\"\n    return r'\\'' + \"it's\" + f'{s}'\nt = f()\n",
		"brackets":    "def f():\n" + long("    ") + "    return [\n1,\n2]\nt = f()\n",
		"line joined": "def f(): \\\n  return 1\ndef g():\n" + long("    ") + "    a = 1 + \\\n2\n    return a\n",
		"windows":     strings.ReplaceAll("def f():\n"+long("    ")+"x = 2\n", "\n", "\r\n"),
		"no end":      "def f():\n" + strings.TrimSuffix(long("    "), "\n"),
		"below if":    "if x:\n    def f():\n" + long("        ") + "else:\n    f = 1\n",
		"tabs":        "def f():\n" + long("\t") + "x = 1\n",
	} {
		t.Run(name, func(t *testing.T) { sameTrees(t, text) })
	}
	if cuts := outline("def f():\n" + long("    ") + "def g():\n" + long("    ")); len(cuts) != 2 || cuts[1].line != 15 {
		t.Errorf("bodies of f and g: %+v, want 2, the second from line 15", cuts)
	}
}

// Whatever the text, reading it body by body ends and does not fail where
// reading it at once does not.
func FuzzOutline(f *testing.F) {
	f.Add("def f():\n" + long("    ") + "x = '''\n")
	f.Add("class A:\n  def f(self):\n" + long("    ") + "\\\n)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range outline(text) {
			if c.from >= c.to || c.to > len(text) || c.line < 1 {
				t.Errorf("a body at %d to %d of %d bytes", c.from, c.to, len(text))
			}
		}
		_, whole := parse([]byte(text))
		some, err := parseOutline([]byte(text))
		if whole == nil && err != nil {
			t.Error(err)
		}
		if err == nil {
			some.plain(&strings.Builder{}, 0)
		}
	})
}
