package pyeval

import "schedmate/advisor/origin"

// ray: functions and classes that run on workers of a cluster. A worker is made
// with the resources that its options say, and sees no others.
func init() {
	native(func(in *Interp, c *Call) Value {
		if v := c.first(); v.Kind == ClassKind || v.Kind == FunctionKind {
			return in.decorate(external("ray.remote"), v)
		}
		in.observe(c)
		return Value{Kind: ExternalKind, Ref: &External{Name: c.Name, Call: c, solid: true}, Origin: c.Site}
	}, "ray.remote")
}

// workerOptions is the ".options" of what runs on workers: the same thing, its
// resources noted.
func (in *Interp) workerOptions(v Value) Value {
	return bound(v, "ray.remote.options", func(in *Interp, c *Call) Value {
		d := *c
		d.Name, d.Self = "ray.remote.options", v
		in.observe(&d)
		if _, ok := d.Arg("num_gpus", -1); ok {
			in.workers++
		}
		return v
	})
}

// remote is the ".remote" of a function, class or method that ray runs. Of
// several workers that do the same the first is followed.
func (in *Interp) remote(v Value) Value {
	return Value{Kind: NativeKind, Ref: &Native{Name: "remote", Run: func(in *Interp, c *Call) Value {
		m, isMethod := v.Ref.(*Method)
		if !isMethod || in.workers < 2 {
			return in.call(v, c, nil)
		}
		if got, ok := in.worked[m.Func.Ref]; ok {
			return got
		}
		if in.worked == nil {
			in.worked = map[any]Value{}
		}
		machine := in.program.Machine
		one := integer(1).with(origin.Named(origin.Rule, "a worker of ray sees its own device"))
		in.program.Machine.Devices, in.program.Machine.LocalSize = one, one
		in.program.Machine.WorldSize = integer(int64(in.workers)).with(c.Site)
		got := in.call(v, c, nil)
		in.program.Machine = machine
		in.worked[m.Func.Ref] = got
		return got
	}}}
}
