package scheduler_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/policy/tiresias"
)

// Everybody who picks a policy by name relies on these names.
func TestRegistryNames(t *testing.T) {
	all := policy.All()
	if diff := cmp.Diff([]string{"fifo", "sjf", "qssf", "srtf", "tiresias", "edf", "yarncs", "threesigma", "gandiva", "themis", "genie", "chronus", "unisched", "lucid", "packing", "sia", "sjf+", "lucid+", "sia+"}, all.Names()); diff != "" {
		t.Error(diff)
	}
	for _, d := range all {
		if d.Summary == "" {
			t.Errorf("%s has no summary", d.Name)
		}
		var presets []string
		for _, p := range d.Presets {
			presets = append(presets, p.Name)
			built, err := d.New(p.Options)
			if err != nil {
				t.Errorf("%s, preset %s: %v", d.Name, p.Name, err)
				continue
			}
			if built.Name() != d.Name {
				t.Errorf("%s, preset %s: the policy calls itself %s", d.Name, p.Name, built.Name())
			}
			if err := p.World.Validate(); err != nil {
				t.Errorf("%s, preset %s: world: %v", d.Name, p.Name, err)
			}
		}
		if diff := cmp.Diff(presetsOf[d.Name], presets); diff != "" {
			t.Errorf("%s: presets: %s", d.Name, diff)
		}
	}
}

// presetsOf lists what people can ask for by name.
var presetsOf = map[string][]string{
	"fifo":       {scheduler.DefaultPreset, "lucid"},
	"sjf":        {scheduler.DefaultPreset, "lucid"},
	"qssf":       {scheduler.DefaultPreset, "lucid"},
	"srtf":       {scheduler.DefaultPreset, "lucid", "titan"},
	"tiresias":   {scheduler.DefaultPreset, "lucid", "titan", "elasticflow"},
	"edf":        {scheduler.DefaultPreset, "titan", "elasticflow"},
	"yarncs":     {scheduler.DefaultPreset, "titan"},
	"themis":     {scheduler.DefaultPreset},
	"genie":      {scheduler.DefaultPreset},
	"gandiva":    {scheduler.DefaultPreset, "elasticflow"},
	"threesigma": {scheduler.DefaultPreset, "titan"},
	"chronus":    {scheduler.DefaultPreset, "paper", "chronus"},
	"unisched":   {scheduler.DefaultPreset, "paper"},
	"lucid":      {scheduler.DefaultPreset, "paper", "lucid"},
	"packing":    {scheduler.DefaultPreset, "paper"},
	"sia":        {scheduler.DefaultPreset, "paper", "sia"},
	"sjf+":       {scheduler.DefaultPreset, "paper"},
	"lucid+":     {scheduler.DefaultPreset, "paper"},
	"sia+":       {scheduler.DefaultPreset, "paper", "sia"},
}

func TestUnknownNamesSayWhatThereIs(t *testing.T) {
	all := policy.All()
	if _, err := all.Find("lifo"); err == nil || !strings.Contains(err.Error(), "use one of fifo, sjf, qssf, srtf, tiresias, edf, yarncs, threesigma, gandiva, themis, genie") {
		t.Errorf("got %v", err)
	}
	d, err := all.Find("srtf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Preset("sia"); err == nil || !strings.Contains(err.Error(), "use one of default, lucid, titan") {
		t.Errorf("got %v", err)
	}
	if _, err := d.New(tiresias.Options{}); err == nil || !strings.Contains(err.Error(), "tiresias.Options") {
		t.Errorf("options of another policy: got %v", err)
	}
	if _, err := d.Decode(tiresias.Options{}, nil); err == nil {
		t.Error("options of another policy were decoded")
	}
}

// An overlay changes what it names and keeps the rest; whatever it does not
// understand, it refuses.
func TestDecodeOverlays(t *testing.T) {
	d := tiresias.Descriptor()
	preset, err := d.Preset("lucid")
	if err != nil {
		t.Fatal(err)
	}
	decode := func(overlay string) (tiresias.Options, error) {
		got, err := d.Decode(preset.Options, []byte(overlay))
		if err != nil {
			return tiresias.Options{}, err
		}
		return got.(tiresias.Options), nil
	}
	lucid := tiresias.Options{Placement: "lucid", Selection: "counted", Thresholds: []int64{18_000}}

	got, err := decode(`{"thresholds_gpu_s":[100,1000]}`)
	want := lucid
	want.Thresholds = []int64{100, 1000}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got, err = decode(`{"thresholds_gpu_s":[7]}`); err != nil || len(got.Thresholds) != 1 || got.Thresholds[0] != 7 {
		t.Errorf("got %v, %v", got, err)
	}
	if diff := cmp.Diff(lucid, preset.Options); diff != "" {
		t.Errorf("decoding an overlay changed the preset: %s", diff)
	}
	if got, err = decode(""); err != nil || !reflect.DeepEqual(got, lucid) {
		t.Errorf("an empty overlay gave %v, %v", got, err)
	}
	for _, bad := range []string{`{"threshold":[1]}`, `{"selection":1}`, `[]`, `{} {}`, `{"selection":"counted"} x`, `{`} {
		if _, err := decode(bad); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
