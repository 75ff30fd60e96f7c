package advisor

import (
	"context"
	"slices"
	"strings"
	"testing"

	"schedmate/advisor/fingerprint"
)

// trainer is a program with settings that no field holds: a cap on samples, a
// switch of the model, a model that stands in a file of its own.
const trainer = `import argparse
import yaml
import torch
from torch.utils.data import DataLoader
from torchvision import datasets

class Net(torch.nn.Module):
    def __init__(self, cfg, gated):
        super().__init__()
        self.body = torch.nn.Linear(3, 3)

parser = argparse.ArgumentParser()
parser.add_argument("-m", "--model-file", default="net.yaml")
parser.add_argument("--max-samples", type=int, default=None)
parser.add_argument("--interaction", default="dot")
parser.add_argument("--gated", action="store_true")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=90)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--out-dir", default="runs")
parser.add_argument("--save-every", type=int, default=10)
parser.add_argument("--master-port", type=int, default=29500)
parser.add_argument("--api-key", default=None)
parser.add_argument("--data-list", default="lists/full.txt")
args = parser.parse_args()
with open(args.model_file) as f:
    net = yaml.safe_load(f)
model = Net(net, args.gated)
loader = DataLoader(datasets.CIFAR100("data"), batch_size=128)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
`

const netFile = "# a small one\ndepth_multiple: 0.33\nheads: [4, 4]\n"

// settingsRun is the print of the trainer with other words and files.
func settingsRun(t *testing.T, words string, more map[string]string) fingerprint.Print {
	t.Helper()
	files := map[string]string{"train.py": trainer, "net.yaml": netFile}
	for name, text := range more {
		files[name] = text
	}
	s := run(repository(t, files))
	s.Request.Argv = append(s.Request.Argv, strings.Fields(words)...)
	a, err := Analyse(context.Background(), s, Budget{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Print
}

// What no field holds may decide over the cost: then two runs are different,
// and it is told by its name.
func TestSettingsThatNoFieldHolds(t *testing.T) {
	base := settingsRun(t, "", nil)
	for _, c := range []struct {
		words string
		more  map[string]string
		why   string
	}{
		{"--max-samples 1000", nil, "max_samples"},
		{"--interaction cat", nil, "interaction"},
		{"--gated", nil, "gated"},
		{"--data-list lists/tenth.txt", nil, "data_list"},
		{"", map[string]string{"net.yaml": "depth_multiple: 1.33\nheads: [4, 4]\n"}, "depth_multiple"},
		{"", map[string]string{"net.yaml": "depth_multiple: 0.33\nheads: [4, 8]\n"}, "heads"},
	} {
		got := fingerprint.Compare(base, settingsRun(t, c.words, c.more))
		if want := []string{"are set otherwise: " + c.why}; got.Decision != fingerprint.Different || !slices.Equal(got.Why, want) {
			t.Errorf("%s %v: %s, because they %q, want %q", c.words, c.more, got.Decision, got.Why, want)
		}
	}
}

// Where a setting stands, how it is written and what costs nothing do not
// count.
func TestSettingsInOtherClothes(t *testing.T) {
	base := settingsRun(t, "", nil)
	for words, more := range map[string]map[string]string{
		"--seed 7 --out-dir /scratch/b --save-every 1 --master-port 1234": nil,
		"--lr 0.4":                                nil,
		"--data-list /mnt/b/lists/full.txt":       nil,
		"-m conf/small.yaml":                      {"conf/small.yaml": netFile},
		"--model-file=net.yaml --interaction=dot": {"net.yaml": "heads:\r\n- 4\r\n- 4.0\r\ndepth_multiple: 3.3e-1\r\n"},
		"--api-key 0123456789abcdef":              nil,
	} {
		if got := fingerprint.Compare(base, settingsRun(t, words, more)); got.Decision != fingerprint.Same {
			t.Errorf("%s: %s, because they %q", words, got.Decision, got.Why)
		}
	}
	longer := fingerprint.Compare(base, settingsRun(t, "--epochs 180", nil))
	if longer.Decision != fingerprint.Near || longer.Scale != 2 {
		t.Errorf("twice the epochs: %s, %g times as long, because they %q; a field holds it", longer.Decision, longer.Scale, longer.Why)
	}
}

// No value is kept, only hashes, and nothing of what a name calls a secret.
func TestSettingsHoldNoSecrets(t *testing.T) {
	p := settingsRun(t, "--api-key 0123456789abcdef --interaction internal-name", nil)
	for name, value := range p.Settings {
		if strings.Contains(name, "api") || strings.Contains(value, "internal") {
			t.Errorf("%s=%s is kept", name, value)
		}
	}
	if len(p.Settings) == 0 {
		t.Error("nothing is kept")
	}
}

// A configuration with more settings than a print holds still tells whether it
// was changed.
func TestManySettings(t *testing.T) {
	many := func(last string) map[string]string {
		var b strings.Builder
		b.WriteString("blocks:\n")
		for i := range 600 {
			b.WriteString("  w" + strings.Repeat("x", i%50) + string(rune('a'+i/50)) + ": 3\n")
		}
		return map[string]string{"net.yaml": b.String() + "  last: " + last + "\n"}
	}
	a, b := settingsRun(t, "", many("1")), settingsRun(t, "", many("2"))
	if n := len(a.Settings); n == 0 || n > fingerprint.MostSettings {
		t.Errorf("%d settings", n)
	}
	if c := fingerprint.Compare(a, b); c.Decision != fingerprint.Different {
		t.Errorf("the last of 600 was changed: %s", c.Decision)
	}
	if c := fingerprint.Compare(a, settingsRun(t, "", many("1"))); c.Decision != fingerprint.Same {
		t.Errorf("nothing was changed: %s", c.Decision)
	}
}
