package history

import (
	"crypto/sha256"
	"encoding/binary"

	"schedmate"
)

// Tx is one look at the tables of a store, or one change of them. What it hands
// out is valid until the function that it was given to returns.
type Tx interface {
	Get(table string, key []byte) []byte // nil: there is none
	// Walk visits the entries from a key on, WalkBack those below one (nil: all),
	// the last first. A visit must not change the table.
	Walk(table string, from []byte, visit func(key, value []byte) (more bool, err error)) error
	WalkBack(table string, below []byte, visit func(key, value []byte) (more bool, err error)) error
	Put(table string, key, value []byte) error
	Delete(table string, key []byte) error
	Clear(table string) error
}

// Store keeps tables of bytes under keys, in order of the keys, and survives a
// crash: of each change either all is kept or nothing.
type Store interface {
	View(read func(Tx) error) error
	Update(change func(Tx) error) error
}

// Over makes a store of one whose look at its tables is of a type of its own.
func Over[T Tx](s interface {
	View(read func(T) error) error
	Update(change func(T) error) error
}) Store {
	return over[T]{s.View, s.Update}
}

type over[T Tx] struct{ view, update func(func(T) error) error }

func (o over[T]) View(read func(Tx) error) error { return o.view(func(tx T) error { return read(tx) }) }
func (o over[T]) Update(change func(Tx) error) error {
	return o.update(func(tx T) error { return change(tx) })
}

// The tables. Data and prints are what is kept; all others can be made of them
// again and are, when they are of another layout or embedder.
const (
	dataTable   = "data"   // end and id -> record, see Encode
	printsTable = "prints" // Whole of a print -> print: a work has many runs, and its print is long

	aboutTable    = "index"    // one entry, see about
	idsTable      = "ids"      // id -> end
	worksTable    = "works"    // Whole -> number of the work
	numbersTable  = "numbers"  // number of the work -> brief form of its print
	vectorsTable  = "vectors"  // number of the first of vectorsInOne works -> their norms and vectors
	postingsTable = "postings" // hash of "field=value", number of the first of postingsInOne works -> those that have it
	runsTable     = "runs"     // number of the work, end and id -> brief form of the run
	namesTable    = "names"    // hash of user and name, end and id -> brief form of the run
	outcomesTable = "outcomes" // end and id -> brief form of completed runs that had been estimated
	lessonsTable  = "lessons"  // what was learnt from the whole history, see Teach
	brokenTable   = "broken"   // end and id -> why the entry cannot be read
)

var derivedTables = []string{
	aboutTable, idsTable, worksTable, numbersTable, vectorsTable, postingsTable, runsTable, namesTable, outcomesTable, lessonsTable, brokenTable,
}

// recordKey orders records by end, then id.
func recordKey(r *Record) []byte { return append(instantKey(nil, r.EndS), r.ID...) }

func instantKey(prefix []byte, at schedmate.Seconds) []byte {
	return binary.BigEndian.AppendUint64(prefix, uint64(at))
}

// endOfKey is the end of the record of a key; false of what is no such key.
func endOfKey(key []byte) (schedmate.Seconds, bool) {
	if len(key) <= 8 {
		return 0, false
	}
	return schedmate.Seconds(binary.BigEndian.Uint64(key)), true
}

func numberKey(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// hashKey stands for a text of any length.
func hashKey(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:12]
}
