package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func put(t *testing.T, c *Cache, key, value string) {
	t.Helper()
	if err := c.Put(key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

func holds(c *Cache, key, value string) bool {
	got, ok := c.Get(key)
	return ok && string(got) == value
}

// What is put is there, also for the next process.
func TestEntriesStay(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cache")
	c := Open(folder, 1<<20)
	if _, ok := c.Get("a1"); ok {
		t.Error("an empty cache has an entry")
	}
	put(t, c, "a1", "one")
	put(t, c, "a1", "two")
	put(t, c, "b2", "")
	if d := Open(folder, 1<<20); !holds(d, "a1", "two") || !holds(d, "b2", "") {
		t.Error("entries are lost")
	}
}

// An entry that was changed from outside is as good as none.
func TestACorruptEntryIsNone(t *testing.T) {
	c := Open(t.TempDir(), 1<<20)
	put(t, c, "a1", "one")
	path := filepath.Join(c.folder, "a1.entry")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "one", string(whole[:len(whole)-1]), string(whole) + "x", strings.Replace(string(whole), "one", "two", 1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := c.Get("a1"); ok {
			t.Errorf("%q is believed", text)
		}
	}
}

// Keys are no paths.
func TestKeysAreNoPaths(t *testing.T) {
	c := Open(t.TempDir(), 1<<20)
	for _, key := range []string{"", "../a", "a/b", "A", ".", strings.Repeat("a", 200)} {
		if err := c.Put(key, []byte("x")); err == nil {
			t.Errorf("%q is a key", key)
		}
		if _, ok := c.Get(key); ok {
			t.Errorf("%q is a key", key)
		}
	}
}

// When entries outgrow the limit, those go that were not used for longest. One
// that is too large is not kept.
func TestOldEntriesGo(t *testing.T) {
	c := Open(t.TempDir(), 1000)
	value := strings.Repeat("x", 100) // an entry of 165 bytes
	for i, key := range []string{"a", "b", "c", "d", "e", "f"} {
		put(t, c, key, value)
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(c.folder, key+".entry"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	c.Get("a") // used a moment ago
	put(t, c, "g", value)
	for key, want := range map[string]bool{"a": true, "b": false, "c": false, "f": true, "g": true} {
		if holds(c, key, value) != want {
			t.Errorf("%s is there: %v", key, !want)
		}
	}
	put(t, c, "h", strings.Repeat("x", 900))
	if _, ok := c.Get("h"); ok {
		t.Error("an entry of most of the limit is kept")
	}
}
