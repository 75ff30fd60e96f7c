package pyeval

// Mappings whose items are attributes too, of several small packages. They
// differ in what a missing item is: an error, an empty mapping, or None.
const (
	strictItems = "easydict"
	emptyItems  = "addict"
	noneItems   = "defaultdict of None"
)

var attrDicts = map[string]string{
	"easydict.EasyDict": strictItems, "easydict.easydict": strictItems, "munch.Munch": strictItems, "munch.munchify": strictItems, "bunch.Bunch": strictItems, "bunch.bunchify": strictItems,
	"attrdict.AttrDict": strictItems, "attridict.AttriDict": strictItems, "box.Box": strictItems, "prodict.Prodict": strictItems, "sklearn.utils.Bunch": strictItems,
	"addict.Dict": emptyItems, "addict.addict.Dict": emptyItems, "dotmap.DotMap": emptyItems,
	"munch.DefaultMunch": noneItems,
}

func init() {
	for name, style := range attrDicts {
		native(func(in *Interp, c *Call) Value {
			v := in.makeDict(c)
			if v.Dict() == nil {
				return v
			}
			made := in.copyOf(v, 60)
			made.Origin = in.line
			if from := c.first(); len(c.Args) > 0 && from.Origin != nil {
				made.Origin = from.Origin
			}
			return in.config(in.styled(made, style))
		}, name)
	}
	for _, style := range []string{strictItems, emptyItems, noneItems} {
		m := map[string]func(in *Interp, c *Call) Value{}
		methods[style] = m
		m["to_dict"] = func(in *Interp, c *Call) Value { return in.unmarked(c.Self, 60) }
		m["toDict"], m["as_dict"], m["todict"] = m["to_dict"], m["to_dict"], m["to_dict"]
		m["copy"] = func(in *Interp, c *Call) Value { return in.copyOf(c.Self, 60) }
		m["deepcopy"] = m["copy"]
		m["freeze"] = func(in *Interp, c *Call) Value { return none() }
		m["unfreeze"] = m["freeze"]
	}
	methods[emptyItems]["update"] = func(in *Interp, c *Call) Value {
		for _, over := range c.Args {
			in.mergeDict(c.Self.Dict(), over, mergeRules{attrs: true})
		}
		for _, k := range c.Kw {
			in.write(c.Self.Dict(), str(k.Name), k.Value)
		}
		return none()
	}
}

// absentItem is what a mapping of a style gives for a key that it has not.
func (in *Interp) absentItem(style string) (Value, bool) {
	switch style {
	case emptyItems:
		v := dict()
		v.Dict().born = in.born()
		return in.styled(v, style), true
	case noneItems:
		return none(), true
	}
	return Value{}, false
}

// itemStyle is the style of what stands in objects of a class that derives from
// such a mapping; empty when it derives from none.
func (c *Class) itemStyle() string {
	for _, b := range c.bases {
		if base, ok := b.Ref.(*Class); ok {
			if s := base.itemStyle(); s != "" {
				return s
			}
		}
	}
	if c.items != "" && c.defines("__missing__") {
		return noneItems
	}
	return c.items
}
