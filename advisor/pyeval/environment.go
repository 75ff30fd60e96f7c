package pyeval

// environment is os.environ.
type environment struct{}

func (environment) item(in *Interp, self, key Value) Value {
	v := in.env(key, Value{})
	return v
}

func (environment) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "get", "setdefault", "pop":
		return bound(self, "os.environ."+name, func(in *Interp, c *Call) Value {
			otherwise := none()
			if v, ok := c.Arg("default", 1); ok {
				otherwise = v
			}
			return in.env(c.first(), otherwise)
		}), true
	case "copy":
		return bound(self, "os.environ.copy", func(in *Interp, c *Call) Value { return Value{Kind: DictKind, Ref: in.environ.copy()} }), true
	case "keys", "items", "values", "update":
		return bound(self, "os.environ."+name, func(in *Interp, c *Call) Value { return unknown("the environment") }), true
	case "__contains__":
		return bound(self, "os.environ.__contains__", func(in *Interp, c *Call) Value {
			_, has := in.environ.get(c.first())
			return boolean(has)
		}), true
	}
	return Value{}, false
}

func (environment) contains(in *Interp, key Value) (yes, known bool) {
	if key.Kind != Str {
		return false, false
	}
	_, has := in.environ.get(key)
	return has, true
}

// env looks a variable of the environment up. One that the submission does not
// set takes the program's own default.
func (in *Interp) env(name, otherwise Value) Value {
	if name.Kind != Str {
		return unknown("a variable with an unknown name")
	}
	if v, ok := in.environ.get(name); ok {
		return v
	}
	if otherwise.Kind == Unknown && otherwise.Text == "" {
		return in.fail("KeyError", "the variable %s is not set by the submission", name.Text)
	}
	return otherwise
}
