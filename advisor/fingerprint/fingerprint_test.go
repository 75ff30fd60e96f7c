package fingerprint

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/advisor/origin"
	"schedmate/advisor/workload"
)

type known map[workload.Field]any

func metadata(values known) *workload.Metadata {
	m := &workload.Metadata{Values: make(map[workload.Field]workload.Value), Multiplier: 1}
	for f, v := range values {
		if n, ok := v.(int); ok {
			v = float64(n)
		}
		m.Values[f] = workload.Value{Value: v, Origin: origin.Named(origin.Rule, "test")}
	}
	return m
}

func printOf(values known) Print { return Of(metadata(values), nil, "") }

// with returns a copy with other values; nil takes a field away.
func (k known) with(more known) known {
	all := make(known)
	for f, v := range k {
		all[f] = v
	}
	for f, v := range more {
		all[f] = v
		if v == nil {
			delete(all, f)
		}
	}
	return all
}

var resnet = known{
	workload.ModelName: "resnet50", workload.Dataset: "imagenet", workload.Task: "image-classification",
	workload.Iterations: 90, workload.IterationType: "epoch", workload.PerDeviceBatchSize: 32, workload.GPUsTotal: 8,
	workload.ImageSize: 224, workload.Precision: "fp32", workload.Optimizer: "SGD", workload.LearningRate: 0.1,
}

var gpt = known{
	workload.ModelName: "GPT-2 124M", workload.Dataset: "openwebtext", workload.Task: "language-modeling-pretrain",
	workload.Iterations: 600000, workload.IterationType: "step", workload.PerDeviceBatchSize: 12, workload.GradAccum: 5,
	workload.GPUsTotal: 8, workload.SeqLen: 1024, workload.Precision: "amp-bf16",
}

func TestOneNameInManySpellings(t *testing.T) {
	for _, names := range [][]string{
		{"resnet50", "ResNet-50", "resnet_50", "models/resnet50"},
		{"meta-llama/Llama-2-7b-hf", "NousResearch/Llama-2-7b-hf", "llama-2-7b", "/ckpt/Llama-2-7b/"},
		{"alpaca_data.json", "./data/alpaca_data.json", "tatsu/alpaca-data"},
		{"identity,alpaca_en_demo", "alpaca_en_demo, identity"},
	} {
		for _, n := range names {
			got, want := squeeze(spelling(workload.ModelName, n)), squeeze(spelling(workload.ModelName, names[0]))
			if got != want {
				t.Errorf("%q is %q, %q is %q", n, got, names[0], want)
			}
		}
	}
}

func TestNamesThatOnlyLookAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"llama-7b", "llama-7b-chat", true},
		{"bert-base", "bert-base-uncased", true},
		{"resnet50", "resnet152", false},
		{"yolov5s", "yolov5x", false},
		{"deit-small", "deit-tiny", false},
		{"efficientnet-b0", "efficientnet-b2", false},
		{"Llama-2-7b", "llama-7b", false},
		{"t5", "t5-base", false},
	} {
		if got := sameName(spelling(workload.ModelName, c.a), spelling(workload.ModelName, c.b)); got != c.same {
			t.Errorf("%s and %s: same is %v, want %v", c.a, c.b, got, c.same)
		}
	}
}

func TestWhatDoesNotCostKeepsTheHash(t *testing.T) {
	base := printOf(resnet)
	for what, more := range map[string]known{
		"another learning rate":       {workload.LearningRate: 0.4},
		"another spelling":            {workload.ModelName: "ResNet-50", workload.Dataset: "ILSVRC/ImageNet"},
		"loaders":                     {workload.NumWorkers: 12},
		"from a checkpoint":           {workload.InitFrom: "checkpoint"},
		"accumulation of 1 said":      {workload.GradAccum: 1},
		"the batch in total":          {workload.PerDeviceBatchSize: nil, workload.GlobalBatchSize: 256},
		"both batches":                {workload.GlobalBatchSize: 256},
		"full tuning said":            {workload.Tuning: "full"},
		"GPUs by node":                {workload.GPUsTotal: nil, workload.GPUsPerNode: 8},
		"no parallel strategy, as is": {workload.ParallelStrategy: "none"},
	} {
		if p := printOf(resnet.with(more)); p.Cost != base.Cost {
			t.Errorf("%s changes the cost hash", what)
		}
	}
}

// Hashes are kept in histories: a change of what they are taken over needs a
// new Form.
func TestTheFormOfHashesIsKept(t *testing.T) {
	want := "dataset: imagenet\nglobal_batch_size: 256\ngpus_total: 8\nimage_size: 224\niteration_type: epoch\niterations: 90\n" +
		"learning_rate: 0.1\nmodel_name: resnet-50\noptimizer: sgd\nper_device_batch_size: 32\nprecision: fp-32\nruns: 1\ntask: image-classification\n"
	p := printOf(resnet)
	if diff := cmp.Diff(want, p.Fields.Text()); diff != "" {
		t.Error(diff)
	}
	if got := p.Workload + " " + p.Cost; got != "664d54541728f93d31768c1e e821afc30b05c0e6278d3479" {
		t.Errorf("hashes are %s", got)
	}
}

func TestWhatCostsChangesTheHash(t *testing.T) {
	base := printOf(resnet)
	for what, c := range map[string]struct {
		more         known
		sameWorkload bool
	}{
		"more epochs":    {known{workload.Iterations: 100}, true},
		"a larger batch": {known{workload.PerDeviceBatchSize: 64}, true},
		"fewer GPUs":     {known{workload.GPUsTotal: 4}, true},
		"another model":  {known{workload.ModelName: "resnet152"}, false},
		"other data":     {known{workload.Dataset: "cifar10"}, false},
		"larger images":  {known{workload.ImageSize: 448}, false},
		"half precision": {known{workload.Precision: "amp-fp16"}, false},
	} {
		p := printOf(resnet.with(c.more))
		if p.Cost == base.Cost || (p.Workload == base.Workload) != c.sameWorkload {
			t.Errorf("%s: cost hash equal %v, workload hash equal %v, want false and %v", what, p.Cost == base.Cost, p.Workload == base.Workload, c.sameWorkload)
		}
	}
	if Of(metadata(resnet), nil, "slice 1").Workload == Of(metadata(resnet), nil, "slice 2").Workload {
		t.Error("edited code keeps the hash")
	}
}

func TestRunsOfASweepCount(t *testing.T) {
	m := metadata(resnet)
	m.Multiplier = 5
	_, scale, why := Match(printOf(resnet), Of(m, nil, ""))
	if scale != 5 || !strings.Contains(why, "runs") {
		t.Errorf("five folds: x%v (%s), want x5", scale, why)
	}
}

// The expected ratios are worked out by hand from the exponents in work.go.
func TestNearWorkIsScaled(t *testing.T) {
	for _, c := range []struct {
		what       string
		base, more known
		low, high  float64
	}{
		{"a third of the epochs", resnet, known{workload.Iterations: 30}, 1. / 3, 1. / 3},
		{"half the GPUs: 2^0.95", resnet, known{workload.GPUsTotal: 4}, 1.93, 1.94},
		{"four times the batch: 4^-0.08", resnet, known{workload.PerDeviceBatchSize: 128}, 0.89, 0.90},
		{"half precision", resnet, known{workload.Precision: "amp-fp16"}, 0.75, 0.75},
		{"a step of twice the samples: 2^0.92", gpt, known{workload.PerDeviceBatchSize: 24}, 1.89, 1.90},
		{"half the GPUs, twice the micro steps: 2 * 2^-0.05", gpt, known{workload.GPUsTotal: 4, workload.GradAccum: 10}, 1.93, 1.94},
		{"a step of twice the length", gpt, known{workload.SeqLen: 2048}, 2, 2},
		{"an optimiser by its long name", resnet, known{workload.Optimizer: "torch-sgd"}, 1, 1},
		{"learning rate", resnet, known{workload.LearningRate: 0.2}, 1, 1},
	} {
		match, scale, why := Match(printOf(c.base), printOf(c.base.with(c.more)))
		if !match || scale < c.low-1e-9 || scale > c.high+1e-9 {
			t.Errorf("%s: match %v, x%.4f (%s), want x%.3f to x%.3f", c.what, match, scale, why, c.low, c.high)
		}
	}
}

func TestDifferentWorkNeverMatches(t *testing.T) {
	for what, more := range map[string]known{
		"model":             {workload.ModelName: "resnet152"},
		"data set":          {workload.Dataset: "cifar100"},
		"task":              {workload.Task: "evaluation"},
		"tuning":            {workload.Tuning: "lora"},
		"depth":             {workload.NLayers: 12},
		"a hundredth of it": {workload.Iterations: 0.9},
		"unit":              {workload.IterationType: "step"},
		"pixels":            {workload.ImageSize: 448},
		"recipe":            {workload.Optimizer: "LAMB"},
	} {
		base := resnet.with(known{workload.NLayers: 50, workload.Tuning: "full"})
		match, scale, why := Match(printOf(base), printOf(base.with(more)))
		if match || scale != 0 || why == "" {
			t.Errorf("another %s: match %v, x%v, %q", what, match, scale, why)
		}
	}
}

func TestLittleKnownIsNotSame(t *testing.T) {
	thin := known{workload.GPUsTotal: 8, workload.Precision: "fp32", workload.Task: "image-classification"}
	if c := Compare(printOf(thin), printOf(thin)); c.Decision != Different {
		t.Errorf("a task on 8 GPUs: %v, want different", c.Decision)
	}
	c := Compare(printOf(resnet.with(known{workload.Iterations: nil})), printOf(resnet.with(known{workload.Iterations: nil})))
	if c.Decision != Same || c.Sure {
		t.Errorf("an unknown number of epochs: %v, sure %v, want same and not sure", c.Decision, c.Sure)
	}
}

func TestPrintsOfTwoFormsAreNotCompared(t *testing.T) {
	old := printOf(resnet)
	old.Form = 0
	if c := Compare(old, printOf(resnet)); c.Decision != Different || !strings.Contains(strings.Join(c.Why, ""), "form") {
		t.Errorf("got %+v", c)
	}
}

var names = rapid.SampledFrom([]string{"resnet50", "ResNet-50", "meta-llama/Llama-2-7b-hf", "gpt2-xl", "a b", "ünïcode-7", "x"})

// anyMetadata draws fields of all types.
func anyMetadata(t *rapid.T) *workload.Metadata {
	values := make(known)
	for _, f := range workload.Fields() {
		if rapid.Bool().Draw(t, "known "+string(f)) {
			if v := any(names.Draw(t, string(f))); workload.Check(f, v) == nil {
				values[f] = v
			} else {
				values[f] = float64(rapid.IntRange(1, 64).Draw(t, string(f)))
			}
		}
	}
	return metadata(values)
}

func TestAWorkIsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMetadata(t)
		p := Of(m, nil, "")
		if scale, why := Ratio(p.Fields, p.Fields); scale != 1 || why != nil {
			t.Fatalf("ratio to itself: %v %v", scale, why)
		}
		if s := Score(p.Fields, p.Fields); len(p.Fields) > 0 && s != 1 {
			t.Fatalf("score with itself: %v", s)
		}
		if c := Compare(p, p); c.Decision == Near || c.Decision == Same && c.Scale != 1 {
			t.Fatalf("compared with itself: %+v", c)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back Print
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if again := New(back.Fields, back.Code); cmp.Diff(p, again) != "" {
			t.Fatalf("after JSON: %s", cmp.Diff(p, again))
		}
	})
}

func TestHashesDoNotDependOnCaseSeparatorsOrOrganisations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMetadata(t)
		renamed := &workload.Metadata{Values: make(map[workload.Field]workload.Value), Multiplier: m.Multiplier}
		for f, v := range m.Values {
			if text, ok := v.Value.(string); ok {
				text = strings.ToUpper(strings.ReplaceAll(text, "-", "_"))
				if f == workload.ModelName || f == workload.Dataset {
					text = "some-org/" + text[strings.LastIndex(text, "/")+1:]
				}
				v.Value = text
			}
			renamed.Values[f] = v
		}
		for f, v := range m.Values { // an organisation goes from both
			if text, ok := v.Value.(string); ok && f != workload.ModelName && f != workload.Dataset && strings.Contains(text, "/") {
				delete(m.Values, f)
				delete(renamed.Values, f)
			}
		}
		if a, b := Of(m, nil, ""), Of(renamed, nil, ""); a.Cost != b.Cost || a.Workload != b.Workload {
			t.Fatalf("hash changed:\n%s\n%s", a.Fields.Text(), b.Fields.Text())
		}
	})
}

func TestRatiosThereAndBackCancel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Canonicalise(anyMetadata(t), nil), Canonicalise(anyMetadata(t), nil)
		for _, f := range []workload.Field{workload.IterationType, workload.Tuning} { // they choose the exponents
			delete(a, f)
			delete(b, f)
		}
		there, _ := Ratio(a, b)
		back, _ := Ratio(b, a)
		if math.Abs(there*back-1) > 1e-9 {
			t.Fatalf("x%v there, x%v back", there, back)
		}
	})
}

func TestScoresAreSymmetricSharesOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Canonicalise(anyMetadata(t), nil), Canonicalise(anyMetadata(t), nil)
		for _, s := range []struct{ there, back float64 }{{Score(a, b), Score(b, a)}, {Gate(a, b), Gate(b, a)}} {
			if math.Abs(s.there-s.back) > 1e-12 || s.there < 0 || s.there > 1 {
				t.Fatalf("score %v there, %v back", s.there, s.back)
			}
		}
	})
}

func TestVectorsKeepSimilarJobsTogether(t *testing.T) {
	vector := func(k known) Vector {
		vectors, id, dim, err := Hashed{}.Embed(context.Background(), []string{printOf(k).Fields.Text()})
		if err != nil || id == "" || dim != len(vectors[0]) {
			t.Fatalf("id %q, dimension %d: %v", id, dim, err)
		}
		return Quantise(vectors[0])
	}
	base := vector(resnet)
	if c := Cosine(base, base); math.Abs(c-1) > 1e-12 {
		t.Errorf("cosine with itself: %v", c)
	}
	alias := Cosine(base, vector(resnet.with(known{workload.ModelName: "ResNet-50", workload.NumWorkers: 4})))
	batch := Cosine(base, vector(resnet.with(known{workload.PerDeviceBatchSize: 128})))
	other := Cosine(base, vector(gpt))
	if !(alias > batch && batch > 0.7 && other < 0.4) {
		t.Errorf("cosines: alias %.3f, batch %.3f, other %.3f", alias, batch, other)
	}
}

func TestNoNumberBreaksAVector(t *testing.T) {
	v := Quantise([]float32{float32(math.NaN()), float32(math.Inf(1)), -2, 1})
	if !slices.Equal(v.Bytes, []int8{0, 0, -127, 64}) {
		t.Errorf("got %v", v.Bytes)
	}
	if z := Quantise(make([]float32, 4)); Cosine(z, v) != 0 {
		t.Error("an empty vector resembles another")
	}
}

func FuzzCanonicalValue(f *testing.F) {
	for _, seed := range []string{`"a"`, `1`, `[1,2]`, `[]`, `null`, `{}`, `1e999`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v Value
		if json.Unmarshal(text, &v) != nil {
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back Value
		if err := json.Unmarshal(again, &back); err != nil || !v.equal(back) {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}

func FuzzSpelling(f *testing.F) {
	f.Add("meta-llama/Llama-2-7b-hf, x.json")
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range []workload.Field{workload.ModelName, workload.Task} {
			once := spelling(field, text)
			if strings.ContainsAny(once, "\n:/ ") {
				t.Errorf("%q became %q, which breaks the text form", text, once)
			}
			_ = sameName(once, text)
		}
	})
}
