package table

import (
	"sync"

	"schedmate/advisor/origin"
)

// Side is the size at which the images of a data set come.
type Side struct {
	Pixels int // of a side
	Origin *origin.Origin
}

var sides = sync.OnceValue(func() map[string]Side {
	all := make(map[string]Side)
	for _, r := range mustRead("sides") {
		name := r.text("name")
		all[name] = Side{int(r.number("pixels")), origin.Named(origin.Table, "sides: "+name)}
	}
	return all
})

// SideOf tells the size of a data set's images by its canonical name, where all
// of them have one: what a model sees when nothing resizes or cuts them.
func SideOf(dataset string) (Side, bool) {
	s, ok := sides()[dataset]
	return s, ok
}
