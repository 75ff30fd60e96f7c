package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

func open(t *testing.T, file string) *Store {
	t.Helper()
	l, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// appendTo keeps values in the data table.
func appendTo(l *Store, keys, values [][]byte) error {
	return l.Update(func(tx *Tx) error {
		for i, key := range keys {
			if err := tx.Put("data", key, values[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// each visits the data table.
func each(l *Store, visit func(key, value []byte) error) error {
	return l.View(func(tx *Tx) error {
		return tx.Walk("data", nil, func(key, value []byte) (bool, error) { return true, visit(key, value) })
	})
}

func contents(t *testing.T, l *Store) string {
	t.Helper()
	var all []string
	err := each(l, func(key, value []byte) error {
		all = append(all, string(key)+"="+string(value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func pieces(words ...string) [][]byte {
	list := make([][]byte, len(words))
	for i, w := range words {
		list[i] = []byte(w)
	}
	return list
}

func TestWhatIsAppendedIsThereAfterOpeningAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "history.db")
	l := open(t, file)
	if err := appendTo(l, pieces("b", "a", "c"), pieces("2", "1", "3")); err != nil {
		t.Fatal(err)
	}
	err := l.Update(func(tx *Tx) error {
		return errors.Join(tx.Delete("data", []byte("c")), tx.Delete("data", []byte("never there")), tx.Delete("no table", []byte("a")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, open(t, file)); got != "a=1 b=2" {
		t.Errorf("after opening again: %q", got)
	}
}

func TestABatchIsKeptWholeOrNotAtAll(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "history.db"))
	if err := appendTo(l, pieces("a"), pieces("1")); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(l, pieces("b", ""), pieces("2", "a key must not be empty")); err == nil {
		t.Fatal("a batch with an empty key was accepted")
	}
	if got := contents(t, l); got != "a=1" {
		t.Errorf("after a refused batch: %q", got)
	}
}

func TestASecondWriterIsToldWhoHasTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	open(t, file)
	_, err := Open(file)
	if !errors.Is(err, ErrBusy) {
		t.Fatalf("second writer: got %v, want ErrBusy", err)
	}
	for _, part := range []string{file, strconv.Itoa(os.Getpid()), "wait until it ends or stop it"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

func TestAFileOfALaterSchemaIsRefusedWithANextStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	l := open(t, file)
	err := l.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(schemaKey, []byte("7")) })
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), `schema "7"`) || !strings.Contains(err.Error(), "export it") {
		t.Errorf("schema 7: got %v", err)
	}
}

func TestAFileThatIsNoStoreIsRefusedAndLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	text := bytes.Repeat([]byte("my notes\n"), 2000)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "not a store") {
		t.Errorf("a text file: got %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, text) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// A child process appends batches of three and is killed in the midst of it.
// Whatever it had reported as kept must be there, and no part of a batch.
func TestAKilledWriterLosesNothingThatWasKept(t *testing.T) {
	if file := os.Getenv("BOLT_TEST_WRITER"); file != "" {
		writeUntilKilled(file)
		return
	}
	for _, reports := range []int{1, 5, 12} {
		file := filepath.Join(t.TempDir(), "history.db")
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), "BOLT_TEST_WRITER="+file)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		kept := make([]byte, reports) // one byte is written for each batch
		for n := 0; n < reports; {
			m, err := out.Read(kept[n:])
			if err != nil {
				t.Fatalf("the writer ended by itself: %v", err)
			}
			n += m
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait() // it was killed: an error is what is wanted

		seen := make(map[uint64]int)
		err = each(open(t, file), func(key, value []byte) error {
			if len(value) != 2000 {
				return fmt.Errorf("value of %d bytes", len(value))
			}
			seen[binary.BigEndian.Uint64(key)]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) < reports {
			t.Errorf("%d batches were reported as kept, %d are there", reports, len(seen))
		}
		for batch, entries := range seen {
			if entries != 3 {
				t.Errorf("batch %d has %d of 3 entries", batch, entries)
			}
		}
	}
}

func writeUntilKilled(file string) {
	l, err := Open(file)
	if err != nil {
		panic(err)
	}
	for batch := uint64(0); ; batch++ {
		var keys, values [][]byte
		for part := range byte(3) {
			keys = append(keys, append(binary.BigEndian.AppendUint64(nil, batch), part))
			values = append(values, bytes.Repeat([]byte{part}, 2000))
		}
		if err := appendTo(l, keys, values); err != nil {
			panic(err)
		}
		os.Stdout.Write([]byte{'k'})
	}
}

// A disk or a person may change any page. Whatever comes of it, the program
// goes on and says what to do.
func TestADamagedStoreIsAnError(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.db")
	l := open(t, whole)
	for i := range 200 {
		if err := appendTo(l, pieces(fmt.Sprintf("key %03d", i)), pieces(strings.Repeat("value ", 20))); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	try := func(text []byte, opening func(string) (*Store, error)) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "history.db")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := opening(file)
		if err == nil {
			err = each(l, func(key, value []byte) error { _ = string(key) + string(value); return nil })
			if err == nil {
				err = appendTo(l, pieces("key 100"), pieces("new"))
			}
			_ = l.Close() // of what is damaged no more is asked
		}
		if errors.Is(err, ErrDamaged) {
			damaged++
		}
	}
	page := os.Getpagesize()
	for _, opening := range []func(string) (*Store, error){Open, OpenToRead} {
		for from := 0; from < len(text); from += page {
			for _, with := range []string{"\x00", "\xff"} {
				try(slices.Concat(text[:from], bytes.Repeat([]byte(with), page), text[min(from+page, len(text)):]), opening)
			}
			try(text[:from], opening)
		}
	}
	if damaged == 0 {
		t.Error("no damage was found")
	}
	if _, err := OpenToRead(t.TempDir()); !errors.Is(err, ErrDamaged) {
		t.Errorf("a folder: got %v", err)
	}
}

// A history on a disk that cannot be written, or in somebody else's folder, can
// be read, by several at once.
func TestReadingChangesNothing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "history.db")
	l := open(t, file)
	if err := appendTo(l, pieces("a"), pieces("1")); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []struct {
		path string
		mode os.FileMode
	}{{file, 0o400}, {folder, 0o500}} {
		if err := os.Chmod(mode.path, mode.mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(folder, 0o700) // so that it can be removed
	for range 2 {
		r, err := OpenToRead(file)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got := contents(t, r); got != "a=1" {
			t.Errorf("got %s", got)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("reading changed the file (%v)", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("reading left files: %v %v", entries, err)
	}
}

func TestTablesAreApartAndWalkedBothWays(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "history.db"))
	err := l.Update(func(tx *Tx) error {
		for _, key := range []string{"b", "d", "a", "c"} {
			if err := errors.Join(tx.Put("one", []byte(key), []byte("1")), tx.Put("other", []byte("z"+key), []byte("2"))); err != nil {
				return err
			}
		}
		return tx.Clear("other")
	})
	if err != nil {
		t.Fatal(err)
	}
	err = l.View(func(tx *Tx) error {
		for _, c := range []struct {
			table, from string
			back        bool
			most        int
			want        string
		}{
			{"one", "", false, 9, "a b c d"},
			{"one", "b", false, 2, "b c"},
			{"one", "bb", false, 9, "c d"},
			{"one", "x", false, 9, ""},
			{"one", "", true, 9, "d c b a"}, // below nothing: all
			{"one", "c", true, 9, "b a"},
			{"one", "cc", true, 2, "c b"},
			{"one", "x", true, 1, "d"},
			{"one", "a", true, 9, ""},
			{"other", "", false, 9, ""},
			{"never", "", true, 9, ""},
		} {
			var keys []string
			visit := func(key, _ []byte) (bool, error) {
				keys = append(keys, string(key))
				return len(keys) < c.most, nil
			}
			walk, from := tx.Walk, []byte(c.from)
			if c.back {
				walk = tx.WalkBack
			}
			if c.from == "" {
				from = nil
			}
			if err := walk(c.table, from, visit); err != nil || strings.Join(keys, " ") != c.want {
				t.Errorf("%+v: got %v: %v", c, keys, err)
			}
		}
		if tx.Get("one", []byte("a")) == nil || tx.Get("one", []byte("x")) != nil || tx.Get("never", []byte("a")) != nil {
			t.Error("the value under a is there, others are not")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Programs that knew one table would let the others grow old: a file that this
// program has opened to write is not for them any more.
func TestAFileOfOneTableIsReadAndTakenOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	l := open(t, file)
	err := l.db.Update(func(tx *bbolt.Tx) error {
		if err := tx.Bucket([]byte("data")).Put([]byte("a"), []byte("1")); err != nil {
			return err
		}
		return tx.Bucket(metaBucket).Put(schemaKey, []byte("1"))
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	schema := func() (schema string) {
		r, err := OpenToRead(file)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got := contents(t, r); got != "a=1" {
			t.Errorf("got %s", got)
		}
		err = r.db.View(func(tx *bbolt.Tx) error { schema = string(tx.Bucket(metaBucket).Get(schemaKey)); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return schema
	}
	if got := schema(); got != "1" {
		t.Errorf("after reading: schema %s", got)
	}
	if err := open(t, file).Close(); err != nil {
		t.Fatal(err)
	}
	if got := schema(); got != "2" {
		t.Errorf("after opening to write: schema %s", got)
	}
}
