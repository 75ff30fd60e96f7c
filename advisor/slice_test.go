package advisor

import (
	"strings"
	"testing"
)

// network is a model of the repository's own, with a helper and a block.
const network = `import torch
from torch import nn

WIDTH = 64

def scaled(x, factor=2):
    """Double it."""
    return x * factor

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.act = nn.ReLU()

    def forward(self, x):
        print("shape", x.shape)
        return scaled(self.act(self.linear(x)))

class Net(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(WIDTH) for _ in range(depth)])
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, x):
        hidden = self.blocks(x)
        return self.head(hidden)
`

func codeOf(t *testing.T, files map[string]string) string {
	t.Helper()
	files["train.py"] = strings.NewReplacer("from torchvision import datasets, models", "from torchvision import datasets\nfrom "+module(files)+" import Net", "models.resnet50()", "Net()").Replace(program)
	code := analysed(t, repository(t, files)).Print.Code
	if code == "" {
		t.Fatal("no hash of code")
	}
	return code
}

func module(files map[string]string) string {
	for name := range files {
		return strings.ReplaceAll(strings.TrimSuffix(name, ".py"), "/", ".")
	}
	return ""
}

// What is computed has one hash, however it is written and wherever it stands.
func TestCodeKeepsItsHash(t *testing.T) {
	base := codeOf(t, map[string]string{"net.py": network})
	for name, files := range map[string]map[string]string{
		"moved":              {"lib/models/network.py": network},
		"line ends":          {"net.py": strings.ReplaceAll(network, "\n", "\r\n")},
		"comments":           {"net.py": strings.ReplaceAll(network, "class ", "# a class\nclass ")},
		"renamed variable":   {"net.py": strings.ReplaceAll(network, "hidden", "h")},
		"renamed attribute":  {"net.py": strings.ReplaceAll(network, "self.linear", "self.fc")},
		"renamed class":      {"net.py": strings.ReplaceAll(network, "Block", "Layer")},
		"renamed function":   {"net.py": strings.ReplaceAll(network, "scaled", "doubled")},
		"logging":            {"net.py": strings.Replace(network, `print("shape", x.shape)`, `logger.info("at %s", x)`, 1)},
		"other docstring":    {"net.py": strings.Replace(network, "Double it.", "Times two.", 1)},
		"formatted":          {"net.py": strings.Replace(network, "nn.Linear(WIDTH, 10)", "nn.Linear(\n            WIDTH,\n            10,\n        )", 1)},
		"something else too": {"net.py": network + "\nclass Unused(nn.Module):\n    pass\n"},
	} {
		if got := codeOf(t, files); got != base {
			t.Errorf("%s: another hash", name)
		}
	}
}

// Another model has another hash.
func TestAnotherModelHasAnotherHash(t *testing.T) {
	base := codeOf(t, map[string]string{"net.py": network})
	for name, text := range map[string]string{
		"width of a constant": strings.Replace(network, "WIDTH = 64", "WIDTH = 128", 1),
		"width of a layer":    strings.Replace(network, "nn.Linear(WIDTH, 10)", "nn.Linear(WIDTH, 1000)", 1),
		"depth by default":    strings.Replace(network, "depth=4", "depth=8", 1),
		"one more layer":      strings.Replace(network, "        self.act = nn.ReLU()\n", "        self.act = nn.ReLU()\n        self.more = nn.Linear(width, width)\n", 1),
		"another layer":       strings.Replace(network, "nn.ReLU", "nn.GELU", 1),
		"a helper":            strings.Replace(network, "x * factor", "x + factor", 1),
		"applied twice":       strings.Replace(network, "self.blocks(x)", "self.blocks(self.blocks(x))", 1),
	} {
		if got := codeOf(t, map[string]string{"net.py": text}); got == base {
			t.Errorf("%s: the same hash", name)
		}
	}
}
