package pyeval

import "strings"

// HParams of TensorFlow 1, and the copies of it that outlived it: attributes
// with defaults, and a text "name=value,name=[1,2]" that is laid over them.
func init() {
	build := func(in *Interp, c *Call) Value {
		d := newDict()
		d.born, d.attrs, d.style = in.born(), true, "hparams"
		d.Open = c.Open
		for _, k := range c.Kw {
			if k.Name != "hparam_def" && k.Name != "model_structure" {
				d.set(str(k.Name), k.Value)
			}
		}
		return in.config(Value{Kind: DictKind, Ref: d, Origin: in.line})
	}
	native(build, "tensorflow.contrib.training.HParams", "tensorflow.contrib.training.python.training.hparam.HParams", "tensorboard.plugins.hparams.api.HParams")
	m := map[string]func(in *Interp, c *Call) Value{}
	methods["hparams"] = m
	m["parse"] = func(in *Interp, c *Call) Value {
		d := c.Self.Dict()
		v := c.first()
		if v.Kind != Str {
			d.Open = d.Open || v.Kind != None
			return c.Self
		}
		for _, part := range splitOutside(v.Text) {
			name, text, ok := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			if old, had := d.get(str(name)); ok && had {
				in.write(d, str(name), castLike(old, in.scalar(str(strings.TrimSpace(text)).with(flagOrigin(v, name)))))
			}
		}
		return c.Self
	}
	set := func(in *Interp, c *Call) Value {
		if name, ok := c.text("name", 0); ok {
			v, _ := c.Arg("value", 1)
			in.write(c.Self.Dict(), str(name), v)
		}
		return none()
	}
	m["add_hparam"], m["set_hparam"] = set, set
	m["override_from_dict"] = func(in *Interp, c *Call) Value {
		if d := c.first().Dict(); d != nil {
			d.Each(func(k, v Value) { in.write(c.Self.Dict(), k, v) })
		}
		return c.Self
	}
	m["values"] = func(in *Interp, c *Call) Value { return in.unmarked(c.Self, 40) }
}

// splitOutside cuts a text at the commas that stand in no brackets.
func splitOutside(text string) []string {
	var all []string
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, text[from:i])
				from = i + 1
			}
		}
	}
	return append(all, text[from:])
}
