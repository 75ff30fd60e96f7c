package conf

import (
	"errors"
	"strings"
	"testing"
)

// Nobody writes a key of a hundred parts. Such a text is refused before the
// library makes a table for each part; dots in texts and comments are no keys.
func TestAKeyOfTooManyPartsIsRefused(t *testing.T) {
	long := strings.Repeat("a.", 100_000) + "a"
	for _, text := range []string{
		long + " = 1",
		"[" + long + "]",
		"[[" + long + "]]",
		strings.Repeat("a .\t", 100) + "a = 1",
		strings.Repeat(`"a".'b'.`, 100) + "a = 1",
		"x = {" + long + " = 1}",
		"x = {s = \"\"\"text\"\"\"\"\", " + long + " = 1}",
		strings.Repeat("a.b.c.d.e = 1\n", 30_000),
	} {
		if _, err := ParseTOML("c.toml", []byte(text)); !errors.Is(err, ErrLimit) {
			t.Errorf("%.40s: got %v", text, err)
		}
	}
	dots := strings.Repeat(".", 1000)
	for _, text := range []string{
		`x = "` + dots + `"`,
		"x = '" + dots + "' # " + dots,
		"x = \"\"\"\n\\\"\"\"" + dots + "\"\"\"\"\n[a.b]\nc.d = 1.5",
		"x = [" + strings.Repeat("1.5, ", 200) + "]",
	} {
		if _, err := ParseTOML("c.toml", []byte(text)); err != nil {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}
