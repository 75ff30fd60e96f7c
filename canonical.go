package schedmate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Canonical returns the one encoding of v that hashes are taken over: JSON
// without insignificant space, object keys in byte order, UTF-8, integers
// only; members that are null or an empty list are left out, so that a list
// that is nil and one that is empty encode alike. Struct members that are
// optional (omitempty, omitzero) are left out when they are zero. In strings,
// quotes, backslashes, control characters below U+0020, U+2028 and U+2029 are
// escaped as encoding/json does, nothing else is.
//
// It refuses numbers with a fraction or an exponent, because their text form is
// not unique, and texts that are not UTF-8, because JSON cannot tell them apart.
// A floating-point number that happens to be whole passes: keep them out of the
// types.
func Canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("schedmate: encode %T: %w", v, err)
	}
	if replacedBytes(raw) {
		return nil, fmt.Errorf("schedmate: encode %T: a text holds bytes that are not UTF-8", v)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, fmt.Errorf("schedmate: re-read %T: %w", v, err)
	}
	if err := normalise(tree); err != nil {
		return nil, fmt.Errorf("schedmate: %T: %w", v, err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // maps are written with sorted keys
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tree); err != nil {
		return nil, fmt.Errorf("schedmate: encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// replacedBytes reports whether encoding/json has put U+FFFD in the place of a
// byte that is not UTF-8. It writes an escape then, and a genuine U+FFFD as it is.
func replacedBytes(raw []byte) bool {
	escape := []byte(`\ufffd`)
	return bytes.Contains(raw, escape) &&
		bytes.Contains(bytes.ReplaceAll(raw, []byte(`\\`), nil), escape) // not a backslash and "ufffd"
}

func normalise(tree any) error {
	switch t := tree.(type) {
	case json.Number:
		if strings.ContainsAny(t.String(), ".eE") {
			return fmt.Errorf("floating-point number %s has no canonical form", t)
		}
	case []any:
		for _, v := range t {
			if err := normalise(v); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, v := range t {
			if list, ok := v.([]any); v == nil || ok && len(list) == 0 {
				delete(t, key)
				continue
			}
			if err := normalise(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// Hash returns the SHA-256 of the canonical encoding, in hex. It panics on a
// value that has none: valid values of the vocabulary's own types all have one.
func Hash(v any) string {
	b, err := Canonical(v)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
