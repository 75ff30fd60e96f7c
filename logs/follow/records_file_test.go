package follow

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func rewriting() bool {
	f := flag.Lookup("rewrite") // of datadriven
	return f != nil && f.Value.String() == "true"
}

// The checksum is CRC-32C: the check value of the catalogue of parametrised CRC
// algorithms is that of the nine digits.
func TestFingerprintIsCRC32C(t *testing.T) {
	want := Fingerprint{Length: 9, Sum: 0xe3069283}
	if got := fingerprint([]byte("123456789")); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
	if got := fingerprint([]byte("1234")).extend([]byte("56789")); got != want {
		t.Errorf("in two steps: got %x, want %x", got, want)
	}
}

var someRecords = []Record{
	{Path: "/var/log/a.log", Real: "/var/log/a.log", File: Identity{Device: 65024, Inode: 9977982}, Generation: 2149967417, Offset: 2048,
		Head: Fingerprint{1024, 0xe3069283}, Tail: Fingerprint{64, 7}},
	{Path: "/var/log/containers/x.log", Real: "/var/log/pods/x/0.log", File: Identity{Device: 65024, Inode: 12}, Offset: 5,
		Head: Fingerprint{5, 1}, Tail: Fingerprint{5, 1}},
	{Path: "not \xff UTF-8", Real: "not \xff UTF-8", File: Identity{Device: 1, Inode: 13}},
	{Real: "/var/log/a.log.1", File: Identity{Device: 65024, Inode: 14}, Offset: 1 << 40},
}

// The format is a promise to files that exist.
func TestRecordsGolden(t *testing.T) {
	const golden = "testdata/records.json"
	if rewriting() {
		if err := SaveRecords(golden, someRecords); err != nil {
			t.Fatal(err)
		}
	}
	got, err := LoadRecords(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(someRecords, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	text, err := encodeRecords(someRecords)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file that is cut off at any byte is refused as a whole.
func TestTornRecords(t *testing.T) {
	text, err := encodeRecords(someRecords)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "records.json")
	for n := range len(text) - 1 { // without the last newline it is whole
		if err := os.WriteFile(path, text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		records, err := LoadRecords(path)
		if !errors.Is(err, ErrRecords) || records != nil {
			t.Fatalf("cut off after %d bytes: got %d records and error %v", n, len(records), err)
		}
		if !strings.Contains(err.Error(), "delete the file") {
			t.Fatalf("%v does not say how to go on", err)
		}
	}
}

func TestForeignRecords(t *testing.T) {
	whole, err := encodeRecords(someRecords)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string {
		if !strings.Contains(string(whole), old) {
			t.Fatalf("%s does not occur", old)
		}
		return strings.Replace(string(whole), old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"of another program", `{"offsets": {}}`, `:1:1: not usable as records of followed files: its format is "", want "schedmate-follow"`},
		{"a list", `[1, 2]`, ":1:2: "},
		{"text", "a.log 12\n", ":1:2: not usable as records of followed files: it is cut off or no JSON"},
		{"of a later version", edit(`"version": 1`, `"version": 2`), "it has version 2, this program reads version 1"},
		{"a record is missing", edit(`"count": 4`, `"count": 5`), "it holds 4 records, but its count is 5"},
		{"a field that we do not know", edit(`"device": 65024`, `"mount": "/", "device": 65024`), `unknown field "mount"`},
		{"a number that is none", edit(`"offset": 5`, `"offset": "5"`), ":26:17: not usable as records of followed files: json: cannot unmarshal string"},
		{"two in one file", string(whole) + string(whole), ":66:2: not usable as records of followed files: it is cut off or no JSON: invalid character '{' after top-level value"},
		{"a negative offset", edit(`"offset": 2048`, `"offset": -1`), "records[0].offset is -1"},
		{"a head beyond the offset", edit(`"offset": 2048`, `"offset": 100`), "records[0].head.length is 1024, want 0 to 100"},
		{"a tail too long", edit(`"length": 64`, `"length": 65`), "records[0].tail.length is 65, want 0 to 64"},
		{"one file twice", edit(`"inode": 14`, `"inode": 12`), "records[1] and records[3] are of one file, inode 12"},
		{"a path given twice", edit(`"path_base64"`, `"path": "x", "path_base64"`), "records[2].path: given as text and as base64"},
		{"no path", edit(`"real": "/var/log/a.log.1",`, ``), "records[3] has no path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "records.json")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			records, err := LoadRecords(path)
			if !errors.Is(err, ErrRecords) || !strings.Contains(err.Error(), c.want) || records != nil {
				t.Errorf("got error %v, want %q in it", err, c.want)
			}
		})
	}
}

// No file at all is for the caller to judge: a first start has none.
func TestNoRecordsFile(t *testing.T) {
	if _, err := LoadRecords(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}

// Saving replaces the old file in one step, or leaves it as it was.
func TestSaveRecords(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "records.json")
	for _, records := range [][]Record{someRecords, someRecords[:1]} {
		if err := SaveRecords(path, records); err != nil {
			t.Fatal(err)
		}
		got, err := LoadRecords(path)
		if diff := cmp.Diff(records, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if err := SaveRecords(filepath.Join(folder, "none", "records.json"), nil); err == nil || !strings.Contains(err.Error(), "check that its folder exists") {
		t.Errorf("without a folder: %v", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("left behind %v, %v", entries, err)
	}
}

// Records that were saved come back as they were.
func TestRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "records")
		var records []Record
		for i := range n {
			offset := rapid.Int64Range(0, 1<<62).Draw(t, "offset")
			probe := func(most int64) Fingerprint {
				return Fingerprint{int(rapid.Int64Range(0, min(most, offset)).Draw(t, "length")), rapid.Uint32().Draw(t, "sum")}
			}
			r := Record{
				Path: string(rapid.SliceOf(rapid.Byte()).Draw(t, "path")), Real: string(rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "real")),
				File:       Identity{rapid.Uint64().Draw(t, "device"), uint64(i)},
				Generation: rapid.Uint32().Draw(t, "generation"), Offset: offset, Head: probe(headBytes), Tail: probe(tailBytes),
			}
			records = append(records, r)
		}
		text, err := encodeRecords(records)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRecords(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) > 0 {
			if diff := cmp.Diff(records, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

// Whatever a file holds, it is refused, or its records can be used and saved again.
func FuzzDecodeRecords(f *testing.F) {
	text, err := encodeRecords(someRecords)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":"schedmate-follow","version":1,"count":0,"records":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := decodeRecords(text)
		if err != nil {
			if !errors.Is(err, ErrRecords) {
				t.Fatalf("%v does not wrap ErrRecords", err)
			}
			return
		}
		if _, err := New(Options{Globs: []string{"*"}, Records: records}); err != nil {
			t.Fatalf("records that were loaded are refused: %v", err)
		}
		again, err := encodeRecords(records)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRecords(again)
		if diff := cmp.Diff(records, got); err != nil || diff != "" {
			t.Fatalf("%v (-loaded +saved and loaded):\n%s", err, diff)
		}
	})
}
