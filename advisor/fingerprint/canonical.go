package fingerprint

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/workload"
)

// Runs is how many runs of the work one submission makes. It is no field of
// [workload.Metadata] but counts like one.
const Runs workload.Field = "runs"

// Purpose is what a run is for when it is not to train: "evaluation". It is no
// field of workload.Metadata but counts like one.
const Purpose workload.Field = "purpose"

// Value is a canonical value: either a text or one number and more.
type Value struct {
	Text    string
	Numbers []float64
}

// Words is a text value, Numbers a numeric one.
func Words(text string) Value         { return Value{Text: text} }
func Number(numbers ...float64) Value { return Value{Numbers: numbers} }
func (v Value) equal(o Value) bool {
	return v.Text == o.Text && slices.EqualFunc(v.Numbers, o.Numbers, alike)
}
func (v Value) single() (float64, bool) { return first(v.Numbers), len(v.Numbers) == 1 }
func alike(a, b float64) bool           { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b)) }
func first(numbers []float64) (x float64) {
	if len(numbers) > 0 {
		x = numbers[0]
	}
	return x
}

// String is the value as the text form writes it. Numbers keep six digits:
// what differs by less is the same work.
func (v Value) String() string {
	if v.Numbers == nil {
		return v.Text
	}
	list := make([]string, len(v.Numbers))
	for i, x := range v.Numbers {
		list[i] = strconv.FormatFloat(x, 'g', 6, 64)
	}
	return strings.Join(list, " ")
}

// MarshalJSON writes a text, a number or a list of numbers.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.Numbers == nil:
		return json.Marshal(v.Text)
	case len(v.Numbers) == 1:
		return json.Marshal(v.Numbers[0])
	}
	return json.Marshal(v.Numbers)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value) UnmarshalJSON(text []byte) error {
	*v = Value{}
	if json.Unmarshal(text, &v.Text) == nil {
		return nil
	}
	var x float64
	if json.Unmarshal(text, &x) == nil {
		v.Numbers = []float64{x}
		return nil
	}
	if err := json.Unmarshal(text, &v.Numbers); err != nil || len(v.Numbers) == 0 {
		return fmt.Errorf("canonical value %.40q: want a text, a number or a list of numbers", text)
	}
	return nil
}

// Canonical is what is known of a job's work, in one spelling.
type Canonical map[workload.Field]Value

// Canonicalise brings metadata into canonical form. Names may be nil, then
// [Spelling] serves. What follows from other fields is derived, so that a job
// that says its batch per GPU equals one that says it in total.
func Canonicalise(m *workload.Metadata, names Canonicaliser) Canonical {
	if names == nil {
		names = Spelling
	}
	c := make(Canonical, len(m.Values)+2)
	for f, v := range m.Values {
		switch x := v.Value.(type) {
		case string:
			// The text form has one line a field.
			if text := strings.Join(strings.Fields(names.Canonical(f, x)), " "); text != "" {
				c[f] = Words(text)
			}
		case float64:
			c[f] = Number(x)
		case []float64:
			if len(x) > 0 {
				c[f] = Number(slices.Clone(x)...)
			}
		}
	}
	c[Runs] = Number(float64(max(1, m.Multiplier)))
	c.complete()
	return c
}

// complete derives GPUs and batch sizes from each other where they are missing.
func (c Canonical) complete() {
	if _, known := c[workload.GPUsTotal]; !known {
		if perNode, ok := c.number(workload.GPUsPerNode); ok {
			nodes, ok := c.number(workload.Nodes)
			if !ok {
				nodes = 1
			}
			c[workload.GPUsTotal] = Number(perNode * nodes)
		}
	}
	if _, known := c[workload.GPUsPerNode]; !known {
		gpus, have := c.number(workload.GPUsTotal)
		if nodes, ok := c.number(workload.Nodes); have && ok {
			c[workload.GPUsPerNode] = Number(gpus / nodes)
		}
	}
	gpus, ok := c.number(workload.GPUsTotal)
	if !ok {
		return
	}
	per, havePer := c.number(workload.PerDeviceBatchSize)
	global, haveGlobal := c.number(workload.GlobalBatchSize)
	ranks := max(1, gpus/(c.numberOr(workload.TensorParallel, 1)*c.numberOr(workload.PipelineParallel, 1)))
	parts := ranks * c.numberOr(workload.GradAccum, 1)
	_, manyPer := c[workload.PerDeviceBatchSize]
	_, manyGlobal := c[workload.GlobalBatchSize]
	switch {
	case havePer && !manyGlobal:
		c[workload.GlobalBatchSize] = Number(per * parts)
	case haveGlobal && !manyPer:
		c[workload.PerDeviceBatchSize] = Number(global / parts)
	}
}

// number is a field's single number.
func (c Canonical) number(f workload.Field) (float64, bool) { return c[f].single() }

// numberOr is a field's single number if it is positive, else a default.
func (c Canonical) numberOr(f workload.Field, otherwise float64) float64 {
	if x, ok := c.number(f); ok && x > 0 {
		return x
	}
	return otherwise
}

// fields lists the known fields in order.
func (c Canonical) fields() []workload.Field {
	list := make([]workload.Field, 0, len(c))
	for f := range c {
		list = append(list, f)
	}
	slices.Sort(list)
	return list
}

// Text is the canonical text form: "field: value" a line, in order. It holds
// canonical values only, nothing of the code, the user or the job's name.
func (c Canonical) Text() string {
	var b strings.Builder
	for _, f := range c.fields() {
		b.WriteString(string(f) + ": " + c[f].String() + "\n")
	}
	return b.String()
}
