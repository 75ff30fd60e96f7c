package follow

import (
	"path/filepath"
	"testing"
)

// Devices may be numbered anew at each start of a machine: a record whose
// device is another one is that of the file if inode and contents agree.
func TestDeviceNumberedAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := appendTo(path, []byte("one ")); err != nil {
		t.Fatal(err)
	}
	poll := func(records []Record) (told string, after []Record) {
		f, err := New(Options{Paths: []string{path}, Records: records})
		if err != nil {
			t.Fatal(err)
		}
		err = f.Poll(t.Context(), func(c Chunk) error {
			told += c.Kind.String() + " " + string(c.Data)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return told, f.Records()
	}
	_, records := poll(nil)
	device := records[0].File.Device
	records[0].File.Device++
	if err := appendTo(path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	told, after := poll(records)
	if told != "resumed data two" || len(after) != 1 || after[0].File.Device != device {
		t.Errorf("told %q, records %+v", told, after)
	}
	records[0].Head.Sum++ // other contents: another file
	if told, _ := poll(records); told != "rotated data one two" {
		t.Errorf("with other contents: told %q", told)
	}
}
