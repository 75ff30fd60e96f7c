package pyeval

// Slice is for now empty.
func (o *Observations) Slice() string { return "" }
