package pyeval

// #include "grammar.h"
import "C"

import (
	"errors"
	"unsafe"

	_ "github.com/tree-sitter/go-tree-sitter" // links the library that grammar.c calls
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// maxNodes bounds the tree of one file; the source limits keep real files far
// below it.
const maxNodes = 4_000_000

// errNoTree says that a text took too long to parse, or too much memory.
var errNoTree = errors.New("parse: no tree within the time for a file of this size; check that it is Python")

// record is one node of a flattened tree, as C lays it out.
type record = C.sm_record

// grammar holds the names of the grammar's kinds and roles by their number, so
// that every node of a kind shares one string.
type grammar struct {
	language unsafe.Pointer
	kinds    []string
	fields   []string
	slice    uint16
}

var pythonGrammar = loadGrammar()

func loadGrammar() *grammar {
	C.sm_use_libc()
	g := &grammar{language: python.Language()}
	for i := range uint16(C.sm_kinds(g.language)) {
		g.kinds = append(g.kinds, C.GoString(C.sm_kind_name(g.language, C.uint16_t(i))))
		if g.kinds[i] == "slice" {
			g.slice = i
		}
	}
	g.fields = append(g.fields, "")
	for i := range uint16(C.sm_fields(g.language)) {
		g.fields = append(g.fields, C.GoString(C.sm_field_name(g.language, C.uint16_t(i+1))))
	}
	return g
}

// kind is a node's kind; errors have a number outside of the table.
func (g *grammar) kind(r *record) string {
	if int(r.kind) < len(g.kinds) {
		return g.kinds[r.kind]
	}
	return "ERROR"
}

// flatten parses a text and calls use with its nodes, parents before children.
// The records are gone when use returns.
func (g *grammar) flatten(text string, use func([]record)) error {
	at := unsafe.StringData(text)
	flat := C.sm_parse(g.language, (*C.char)(unsafe.Pointer(at)), C.uint32_t(len(text)), maxNesting, maxNodes, C.uint16_t(g.slice))
	defer C.sm_free(flat)
	if flat.failed != 0 || flat.count == 0 {
		return errNoTree
	}
	use(unsafe.Slice(flat.records, int(flat.count)))
	return nil
}
