package pyeval

import (
	"maps"
	"slices"
)

// Dict keeps its keys in the order of insertion. Open says that further keys
// may be in it that nobody knows.
//
// A copy costs nothing until one of the two changes: the branches of a program
// start from copies of all its names and change few of them.
type Dict struct {
	keys      []Value
	values    []Value
	index     map[string]int // where a key stands; nil while there are few
	keysLent  bool           // keys and index belong to a copy too
	valueLent bool           // values belong to a copy too
	Open      bool
	born      int     // moment of its making; 0: before everything
	filled    bool    // made empty at the top of a module: other modules fill it
	module    *Module // where it was made, when that was at the top of a module: a registry may be filled by modules that have not run
	attrs     bool    // items can be reached as attributes too (a configuration node)
	style     string  // whose configuration node: the methods table of that name comes before dict's
	tree      *omegaTree
	schema    *Class // the dataclass that a configuration node was made of
}

// fewKeys are looked through one by one: faster than a map, and most scopes
// have no more.
const fewKeys = 8

func newDict() *Dict { return &Dict{} }

// hash is a key's text in the index: that of a string is the string itself.
func (v Value) hash() (string, bool) {
	if v.Kind == Str && (v.Text == "" || v.Text[0] != 0) {
		return v.Text, true
	}
	k, ok := v.key()
	return "\x00" + k, ok
}

// position finds a key, or tells that it cannot be one.
func (d *Dict) position(key Value) (at int, found, fit bool) {
	if d.index == nil && key.Kind == Str {
		for i := range d.keys {
			if k := &d.keys[i]; k.Kind == Str && k.Text == key.Text {
				return i, true, true
			}
		}
		return 0, false, true
	}
	h, ok := key.hash()
	if !ok {
		return 0, false, false
	}
	if d.index != nil {
		at, found = d.index[h]
		return at, found, true
	}
	for i := range d.keys {
		if d.keys[i].Kind == Str {
			continue
		}
		if k, _ := d.keys[i].hash(); k == h {
			return i, true, true
		}
	}
	return 0, false, true
}

// Get returns the value of a key.
func (d *Dict) Get(key string) (Value, bool) { return d.get(str(key)) }

func (d *Dict) get(key Value) (Value, bool) {
	if i, found, _ := d.position(key); found {
		return d.values[i], true
	}
	return Value{}, false
}

func (d *Dict) set(key, value Value) {
	i, found, fit := d.position(key)
	switch {
	case !fit:
		d.Open = true
	case found:
		d.put(i, value)
	default:
		d.ownKeys()
		d.ownValues()
		if d.index != nil {
			h, _ := key.hash()
			d.index[h] = len(d.keys)
		}
		d.keys = append(d.keys, key)
		d.values = append(d.values, value)
		if d.index == nil && len(d.keys) > fewKeys {
			d.reindex()
		}
	}
}

// put changes the value at a position.
func (d *Dict) put(i int, value Value) {
	d.ownValues()
	d.values[i] = value
}

func (d *Dict) remove(key Value) {
	i, found, _ := d.position(key)
	if !found {
		return
	}
	d.keys = append(d.keys[:i:i], d.keys[i+1:]...)
	d.values = append(d.values[:i:i], d.values[i+1:]...)
	d.keysLent, d.valueLent = false, false
	d.reindex()
}

// clear takes all items away.
func (d *Dict) clear() {
	d.keys, d.values, d.index, d.keysLent, d.valueLent = nil, nil, nil, false, false
}

func (d *Dict) reindex() {
	d.index = nil
	if len(d.keys) <= fewKeys {
		return
	}
	d.index = make(map[string]int, len(d.keys)+1)
	for i, k := range d.keys {
		h, _ := k.hash()
		d.index[h] = i
	}
}

func (d *Dict) ownKeys() {
	if d.keysLent {
		d.keys, d.index, d.keysLent = slices.Clone(d.keys), maps.Clone(d.index), false
	}
}

func (d *Dict) ownValues() {
	if d.valueLent {
		d.values, d.valueLent = slices.Clone(d.values), false
	}
}

// Len is the number of known keys.
func (d *Dict) Len() int { return len(d.keys) }

// Each calls f for all items in order.
func (d *Dict) Each(f func(key, value Value)) {
	for i := range d.keys {
		f(d.keys[i], d.values[i])
	}
}

// getNear is get for a key that most likely stands at a position: where it
// stands in another copy of the same dict.
func (d *Dict) getNear(i int, key Value) (Value, bool) {
	if i < len(d.keys) && key.Kind == Str && d.keys[i].Kind == Str && d.keys[i].Text == key.Text {
		return d.values[i], true
	}
	return d.get(key)
}

// copy is a dict with the same items that changes on its own.
func (d *Dict) copy() *Dict {
	d.keysLent, d.valueLent = true, true
	c := *d
	c.tree = nil
	return &c
}
