package pyeval

import "schedmate/advisor/origin"

// Function is a function of the repository.
type Function struct {
	Name     string
	module   *Module
	node     *node // function_definition or lambda
	closure  *scope
	defaults map[string]Value
	class    *Class  // in whose body it was defined
	marks    []Value // decorators of other packages, innermost first
	property bool
	static   bool
	ofClass  bool
	yields   bool
	goesBy   string // the name of the function that it wraps; empty: its own

	click        []clickParam // options that decorators gave it
	clickContext bool         // its first argument is the context
}

// Method is a function bound to its first argument.
type Method struct {
	Self Value
	Func Value // Function or Native
}

// Class is a class of the repository, or one made by a modelled library.
type Class struct {
	Name   string
	node   *node // class_definition; nil when a library made it
	module *Module
	bases  []Value // Class or External
	attrs  *Dict
	fields []string         // annotated names in order: the fields of a dataclass
	notes  map[string]*node // their annotations
	marks  []Value          // decorators of other packages
	Origin *origin.Origin

	described *Dict  // __dataclass_fields__, when it was asked for
	items     string // it derives from a mapping of this style
}

// Object is an instance of a class.
type Object struct {
	Class *Class
	Attrs *Dict
	Made  *origin.Origin // where it was made
	ext   *Call          // the call of the base's constructor, when a base is of another package
	data  any            // what a modelled library keeps in it
}

// External is a name of a package that is not in the repository
// ("torch.optim.AdamW"), or, when Call is set, what a call of it gave; a
// further part of such a result has a longer Name and the same Call.
type External struct {
	Name  string
	Call  *Call
	Args  Value // the object that the name was reached from, when that was an object of the repository
	Added Value // of a sum of an unknown number and a known one, the known one
	solid bool  // surely true as a condition: a constructed object
}

// Native is a modelled function or method.
type Native struct {
	Name string
	Run  func(in *Interp, call *Call) Value

	partial *Call // what a functools.partial was made of
}

// Keyword is one named argument.
type Keyword struct {
	Name  string
	Value Value
}

// Call is one observed call: the name of what was called, its arguments, and
// the loops that it stands in.
type Call struct {
	Name  string // qualified: "torch.optim.AdamW", "torch.optim.AdamW.step"
	Self  Value  // for a method: the object
	Args  []Value
	Kw    []Keyword
	Open  bool // more arguments may have been given
	Site  *origin.Origin
	Loops *Loop  // the innermost loop around it, nil outside of loops
	Doubt bool   // it stands behind a condition that is unknown
	Func  string // the function of the repository that holds the call
	Seq   int
	Every *Value // it happens once in so many rounds of a loop; nil: nothing says so
}

// Arg returns an argument by its name or, failing that, by its position.
func (c *Call) Arg(name string, position int) (Value, bool) {
	for _, k := range c.Kw {
		if k.Name == name {
			return k.Value, true
		}
	}
	if position >= 0 && position < len(c.Args) {
		return c.Args[position], true
	}
	return Value{}, false
}

// Loop is one loop that the program goes through.
type Loop struct {
	Parent *Loop
	Site   *origin.Origin
	Over   Value // what a for loop iterates over; Unknown for while loops
	While  bool
	Bounds []Bound // comparisons that end it: of a while's condition, or of an if that breaks
	Func   string
	Doubt  bool

	flags map[string]*node // comparisons that its body keeps under a name
}

// Bound is one comparison that ends a loop.
type Bound struct {
	Left      string // text of the left side: "iter_num"
	From      Value  // what the left side is when the loop begins
	Op        string
	Right     Value
	RightText string
	Site      *origin.Origin
}

// External returns the External behind a value, or nil.
func (v Value) External() *External {
	e, _ := v.Ref.(*External)
	return e
}

// Object returns the Object behind a value, or nil.
func (v Value) Object() *Object {
	o, _ := v.Ref.(*Object)
	return o
}

// lookup finds a name in a class and its bases, in order of the bases.
func (c *Class) lookup(name string) (Value, *Class, bool) {
	if v, ok := c.attrs.Get(name); ok {
		return v, c, true
	}
	for _, b := range c.bases {
		if base, ok := b.Ref.(*Class); ok {
			if v, where, found := base.lookup(name); found {
				return v, where, true
			}
		}
	}
	return Value{}, nil, false
}

// foreign returns the first base of another package, if any: what is not
// found in the class may be found there.
func (c *Class) foreign() *External {
	for _, b := range c.bases {
		switch r := b.Ref.(type) {
		case *External:
			return r
		case *Class:
			if e := r.foreign(); e != nil {
				return e
			}
		}
	}
	return nil
}

// native is the built-in type below the class ("dict"), or empty.
func (c *Class) native() string {
	for _, b := range c.bases {
		switch r := b.Ref.(type) {
		case *Native:
			return r.Name
		case *Class:
			if n := r.native(); n != "" {
				return n
			}
		}
	}
	return ""
}

// defines reports whether a class of the repository among the bases has a name.
func (c *Class) defines(name string) bool {
	_, _, ok := c.lookup(name)
	return ok
}

// Bases lists the qualified names of all bases of other packages.
func (c *Class) Bases() []string {
	var all []string
	for _, b := range c.bases {
		switch r := b.Ref.(type) {
		case *External:
			all = append(all, r.Name)
		case *Class:
			all = append(all, r.Bases()...)
		}
	}
	return all
}

// derives reports whether c is other or below it.
func (c *Class) derives(other *Class) bool {
	if c == other {
		return true
	}
	for _, b := range c.bases {
		if base, ok := b.Ref.(*Class); ok && base.derives(other) {
			return true
		}
	}
	return false
}

// mro lists the class and its bases of the repository, most derived first.
// Cycles cannot occur: a base exists before the class.
func (c *Class) mro() []*Class {
	all := []*Class{c}
	for _, b := range c.bases {
		if base, ok := b.Ref.(*Class); ok {
			all = append(all, base.mro()...)
		}
	}
	return all
}
