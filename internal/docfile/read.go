package docfile

import (
	"fmt"
	"io"
	"reflect"
)

// Read parses one document into v and validates it where T knows how. On an
// error v is not to be used.
func Read[T any](name string, r io.Reader, v *T) error {
	d, err := Parse(name, r)
	if err != nil {
		return err
	}
	return Decode(d, v)
}

// Decode fills v with the document and validates it where T knows how.
func Decode[T any](d *Document, v *T) error {
	if err := (shape{d}).check(d.root, reflect.TypeFor[T](), ""); err != nil {
		return err
	}
	if err := d.root.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", title(d.Name), err)
	}
	if checked, ok := any(v).(interface{ Validate() error }); ok {
		return d.Explain(checked.Validate())
	}
	return nil
}
