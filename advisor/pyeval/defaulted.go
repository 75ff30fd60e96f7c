package pyeval

// telling are parameters of which the default says what a program works on when
// nobody gives another: "def load_data(path='./data', dataset='cora')".
var telling = map[string]bool{"dataset": true, "dataset_name": true, "dataset_str": true, "data_name": true}

// defaulted keeps the default of such a parameter as if it had been assigned in
// the function.
func (in *Interp) defaulted(fn *Function, name string, def Value) {
	if !telling[name] || def.Kind != Str || len(in.saw.Assigned) >= in.budget.Calls {
		return
	}
	in.saw.Assigned = append(in.saw.Assigned, Assignment{Name: name, Value: def, Func: fn.Name, Doubt: in.doubt > 0, InLoop: in.loop != nil, Seq: len(in.saw.Calls)})
}
