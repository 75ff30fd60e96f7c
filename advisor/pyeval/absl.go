package pyeval

// abslFlags are the flags of absl that the program defined.
type abslFlags struct {
	parser *ArgumentParser
	values *Object
}
