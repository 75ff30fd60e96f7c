package highs

// functions are those of the C API that are called. A handle is what create
// returns; HighsInt is int32. Where a status is returned, 0 is good, 1 a warning
// and -1 an error.
type functions struct {
	version   func() string
	sizeOfInt func(handle uintptr) int32 // the handle may be 0
	create    func() uintptr
	destroy   func(handle uintptr)

	// passMip copies a model: rows are given as starts, columns and values of
	// their terms; format 2 is by rows; sense -1 maximises; integrality is 1 of
	// columns that are whole.
	passMip func(handle uintptr, columns, rows, terms, format, sense int32, offset float64,
		objective, lower, upper, rowLower, rowUpper []float64, start, column []int32, value []float64, integrality []int32) int32

	setBool   func(handle uintptr, option string, value int32) int32
	setInt    func(handle uintptr, option string, value int32) int32
	setDouble func(handle uintptr, option string, value float64) int32
	setString func(handle uintptr, option, value string) int32

	// setSolution takes the values of columns; those of rows and the duals may be nil.
	setSolution func(handle uintptr, columns, rows, columnDuals, rowDuals []float64) int32
	run         func(handle uintptr) int32
	modelStatus func(handle uintptr) int32
	getInt      func(handle uintptr, info string, value *int32) int32
	getDouble   func(handle uintptr, info string, value *float64) int32
	// getSolution fills columns and rows, in full length; the duals may be nil.
	getSolution func(handle uintptr, columns, columnDuals, rows, rowDuals []float64) int32

	// endThreads stops the scheduler of the thread that calls it.
	endThreads func(blocking int32)
}

// symbols names them in the library.
func (f *functions) symbols() []symbol {
	return []symbol{
		{"Highs_version", &f.version},
		{"Highs_getSizeofHighsInt", &f.sizeOfInt},
		{"Highs_create", &f.create},
		{"Highs_destroy", &f.destroy},
		{"Highs_passMip", &f.passMip},
		{"Highs_setBoolOptionValue", &f.setBool},
		{"Highs_setIntOptionValue", &f.setInt},
		{"Highs_setDoubleOptionValue", &f.setDouble},
		{"Highs_setStringOptionValue", &f.setString},
		{"Highs_setSolution", &f.setSolution},
		{"Highs_run", &f.run},
		{"Highs_getModelStatus", &f.modelStatus},
		{"Highs_getIntInfoValue", &f.getInt},
		{"Highs_getDoubleInfoValue", &f.getDouble},
		{"Highs_getSolution", &f.getSolution},
		{"Highs_resetGlobalScheduler", &f.endThreads},
	}
}

// symbol is a name of the library, and a pointer to the function that it becomes.
type symbol struct {
	name     string
	function any
}
