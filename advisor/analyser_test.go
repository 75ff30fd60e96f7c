package advisor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// shelf is a store in memory.
type shelf map[string][]byte

func (s shelf) Get(key string) ([]byte, bool)      { v, ok := s[key]; return v, ok }
func (s shelf) Put(key string, value []byte) error { s[key] = value; return nil }

func ask(t *testing.T, x *Analyser, s Submission) *Analysis {
	t.Helper()
	a, err := x.Analyse(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// An answer is given again as long as nothing that it stands on has changed:
// neither a file, nor a file that was not there, nor the words, nor the program
// that answers.
func TestAnswersAreRememberedWhileNothingChanges(t *testing.T) {
	root := repository(t, map[string]string{"train.py": strings.Replace(program, "model = ", "try:\n    import site_settings\nexcept ImportError:\n    pass\nmodel = ", 1)})
	store := shelf{}
	x := NewAnalyser(Budget{}, "v1", store)
	first := ask(t, x, run(root))
	if first.Remembered {
		t.Fatal("the first answer is remembered")
	}
	same := cmpopts.IgnoreFields(Analysis{}, "Seconds", "Remembered")
	for who, y := range map[string]*Analyser{"this process": x, "the next process": NewAnalyser(Budget{}, "v1", store)} {
		again := ask(t, y, run(root))
		if !again.Remembered {
			t.Errorf("%s does not remember", who)
		}
		if diff := cmp.Diff(first, again, same, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s remembers another answer:\n%s", who, diff)
		}
	}
	if ask(t, NewAnalyser(Budget{}, "v2", store), run(root)).Remembered {
		t.Error("another program believes the answer")
	}
	words := run(root)
	words.Request.Argv = append(words.Request.Argv, "--epochs", "3")
	if ask(t, x, words).Remembered {
		t.Error("other words have the same answer")
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("unread.txt", "a file that nobody looks at")
	if !ask(t, x, run(root)).Remembered {
		t.Error("a file that nobody looks at counts")
	}
	write("site_settings.py", "y = 1\n")
	if ask(t, x, run(root)).Remembered {
		t.Error("a file that was looked for and has come does not count")
	}
	write("config.yaml", strings.Replace(config, "90", "30", 1))
	if a := ask(t, x, run(root)); a.Remembered || a.Fields["iterations"].Value != 30.0 {
		t.Errorf("after the change: %v, remembered: %v", a.Fields["iterations"].Value, a.Remembered)
	}
	write("config.yaml", config)
	if !ask(t, x, run(root)).Remembered {
		t.Error("what was before the change is forgotten")
	}
}

// A store may give anything back.
func TestABrokenStoreIsAMiss(t *testing.T) {
	root := repository(t, nil)
	store := shelf{}
	ask(t, NewAnalyser(Budget{}, "v1", store), run(root))
	for key := range store {
		whole := string(store[key])
		for _, text := range []string{"", "null", "[null]", "[{}]", "{", whole[:len(whole)/2], strings.Replace(whole, `"value":90`, `"value":-90`, 1), strings.Replace(whole, `"runs":1`, `"runs":0`, 1)} {
			store[key] = []byte(text)
			a := ask(t, NewAnalyser(Budget{}, "v1", store), run(root))
			if a.Remembered {
				t.Errorf("%.60q is believed", text)
			}
			unmoved(t, a)
		}
	}
}

// A recipe tells the same run in other clothes, and nothing else.
func TestRecipes(t *testing.T) {
	base := analysed(t, repository(t, nil)).Print.Recipe
	if base == "" {
		t.Fatal("no recipe")
	}
	for name, more := range map[string]map[string]string{
		"comments":   {"train.py": "# by nobody\n" + strings.ReplaceAll(program, "\nmodel", "\n# the model\nmodel")},
		"line ends":  {"train.py": strings.ReplaceAll(program, "\n", "\r\n")},
		"names":      {"train.py": strings.ReplaceAll(program, "optimizer", "opt")},
		"printing":   {"train.py": program + "        print(loss)\n"},
		"other file": {"unused.py": "x = 1\n"},
	} {
		if got := analysed(t, repository(t, more)).Print.Recipe; got != base {
			t.Errorf("%s change the recipe", name)
		}
	}
	for name, more := range map[string]map[string]string{
		"a number": {"train.py": strings.Replace(program, "resnet50()", "resnet50(num_classes=7)", 1)},
		"a layer":  {"train.py": strings.Replace(program, "resnet50", "resnet101", 1)},
		"a key":    {"config.yaml": config + "dropout: 0.5\n"},
	} {
		if got := analysed(t, repository(t, more)).Print.Recipe; got == base {
			t.Errorf("%s does not change the recipe", name)
		}
	}
	words := func(w ...string) string {
		s := run(repository(t, nil))
		s.Request.Argv = append(s.Request.Argv, w...)
		a, err := Analyse(context.Background(), s, Budget{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Print.Recipe
	}
	if words("--seed", "3", "--output_dir=/scratch/b", "SEED", "5") != base {
		t.Error("where results go changes the recipe")
	}
	if words("--num_samples", "3") == base {
		t.Error("a number of samples does not change the recipe")
	}
}
