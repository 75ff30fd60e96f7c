package pyeval

import "strings"

// operator.attrgetter and itemgetter: what they make is called with an object
// and gives a part of it.
func init() {
	part := func(name string, get func(in *Interp, of, key Value) Value) {
		native(func(in *Interp, c *Call) Value {
			keys := c.Args
			return Value{Kind: NativeKind, Ref: &Native{Name: name, Run: func(in *Interp, d *Call) Value {
				if len(keys) == 0 || c.Open {
					return unknown("a part of %s", d.first().String())
				}
				var all []Value
				for _, key := range keys {
					all = append(all, get(in, d.first(), key))
				}
				if len(all) == 1 {
					return all[0]
				}
				return tuple(all...)
			}}}
		}, name)
	}
	part("operator.attrgetter", func(in *Interp, of, key Value) Value {
		if key.Kind != Str {
			return unknown("an attribute with an unknown name")
		}
		for _, name := range strings.Split(key.Text, ".") {
			of = in.attribute(of, name)
		}
		return of
	})
	part("operator.itemgetter", func(in *Interp, of, key Value) Value { return in.item(of, key) })
}
