package pyeval

import "schedmate/advisor/origin"

// descends reports whether an origin is another or was computed from it.
func descends(o, from *origin.Origin, depth int) bool {
	if o == nil || from == nil || depth == 0 {
		return false
	}
	if o == from || (o.Kind == from.Kind && o.File == from.File && o.Line == from.Line && o.Key == from.Key) {
		return true
	}
	for _, f := range o.From {
		if descends(f, from, depth-1) {
			return true
		}
	}
	return false
}

// at is the origin of what stands on a node's line.
func (in *Interp) at(s *scope, n *node, key string) *origin.Origin {
	if s.module.File == "" {
		return origin.At(origin.Python, s.module.Name, n.line, key)
	}
	return origin.At(origin.Python, s.module.File, n.line, key)
}
