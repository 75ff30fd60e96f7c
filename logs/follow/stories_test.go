//go:build unix

package follow

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// Each file in testdata is a story: what happens to some files, and what the
// handler is told. testdata/README.md describes the language.
func TestStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			if strings.Contains(path, "generations") && !tellsGenerations(t) {
				t.Skip("this file system does not tell the generation of an inode")
			}
			st := &story{folder: t.TempDir(), now: time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)}
			datadriven.RunTest(t, path, st.tell)
			st.stop()
		})
	}
}

// story is a folder, a clock, and a Follower whose rounds are asked for one by one.
type story struct {
	folder  string
	now     time.Time
	f       *Follower
	end     func()
	printed strings.Builder
	refuses bool
}

func (st *story) tell(t *testing.T, d *datadriven.TestData) string {
	st.printed.Reset()
	if err := st.do(t, d); err != nil {
		st.printed.WriteString("error: " + err.Error() + "\n")
	}
	return strings.ReplaceAll(st.printed.String(), st.folder+"/", "")
}

func tellsGenerations(t *testing.T) bool {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return generation(file) != 0
}

// silence is a watch that never tells anything.
type silence struct{}

func (silence) add(string) error      { return nil }
func (silence) remove(string) error   { return nil }
func (silence) wake() <-chan struct{} { return nil }
func (silence) take() batch           { return batch{} }
func (silence) close() error          { return nil }

func (st *story) do(t *testing.T, d *datadriven.TestData) error {
	name := func(i int) string { return filepath.Join(st.folder, d.CmdArgs[i].Key) }
	number := func(key string) int64 {
		var n int64
		if d.HasArg(key) {
			text := ""
			d.ScanArgs(t, key, &text)
			var err error
			if n, err = strconv.ParseInt(text, 10, 64); err != nil {
				d.Fatalf(t, "%v", err)
			}
		}
		return n
	}
	text := d.Input + "\n"
	if d.HasArg("no-newline") {
		text = d.Input
	}
	switch d.Cmd {
	case "follow":
		return st.follow(t, d)
	case "append":
		return appendTo(name(0), []byte(text))
	case "append-bytes":
		return appendTo(name(0), []byte(strings.Repeat("x", int(number("count")))))
	case "write-at":
		file, err := os.OpenFile(name(0), os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		_, err = file.WriteAt([]byte(text), number("offset"))
		return errors.Join(err, file.Close())
	case "move":
		return os.Rename(name(0), name(1))
	case "remove":
		return os.Remove(name(0))
	case "link":
		if err := os.Symlink(d.CmdArgs[1].Key, name(0)+".new"); err != nil {
			return err
		}
		return os.Rename(name(0)+".new", name(0))
	case "hardlink":
		return os.Link(name(1), name(0))
	case "fifo":
		return syscall.Mkfifo(name(0), 0o644)
	case "folder":
		return os.Mkdir(name(0), 0o755)
	case "truncate":
		return os.Truncate(name(0), number("size"))
	case "touch":
		return os.Chtimes(name(0), st.now, st.now)
	case "refuse", "accept":
		st.refuses = d.Cmd == "refuse"
		return nil
	case "look":
		if d.HasArg("after") {
			var after string
			d.ScanArgs(t, "after", &after)
			pause, err := time.ParseDuration(after)
			if err != nil {
				return err
			}
			st.now = st.now.Add(pause)
		}
		for {
			more, err := st.f.round(t.Context())
			if err != nil || !more {
				return err
			}
		}
	}
	return fmt.Errorf("unknown command %s", d.Cmd)
}

func appendTo(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

func (st *story) follow(t *testing.T, d *datadriven.TestData) error {
	opts := Options{Linger: -1}
	if st.f != nil {
		saved := filepath.Join(t.TempDir(), "records.json")
		if err := SaveRecords(saved, st.f.Records()); err != nil {
			return err
		}
		st.stop()
		if !d.HasArg("forget") {
			var err error
			if opts.Records, err = LoadRecords(saved); err != nil {
				return err
			}
		}
	}
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "paths":
			for _, v := range arg.Vals {
				if v != "-" {
					v = filepath.Join(st.folder, v)
				}
				opts.Paths = append(opts.Paths, v)
			}
		case "globs":
			for _, v := range arg.Vals {
				opts.Globs = append(opts.Globs, filepath.Join(st.folder, v))
			}
		case "linger":
			opts.Linger, _ = time.ParseDuration(arg.SingleVal(t))
		case "max-open":
			arg.Scan(t, 0, &opts.MaxOpen)
		case "max-files":
			arg.Scan(t, 0, &opts.MaxFiles)
		case "buffer":
			arg.Scan(t, 0, &opts.BufferBytes)
		case "start-at-end":
			opts.StartAt = func(_ string, size int64) int64 { return size }
		}
	}
	f, err := newFollower(opts, func() time.Time { return st.now })
	if err != nil {
		return err
	}
	st.f = f
	if st.end, err = f.start(st.print, f.opts.Linger); err != nil {
		return err
	}
	if d.HasArg("watch") {
		f.notices = silence{}
	}
	return nil
}

func (st *story) stop() {
	if st.end != nil {
		st.end()
		st.end = nil
	}
}

var errRefused = errors.New("the handler refuses")

func (st *story) print(c Chunk) error {
	path := c.Path
	if path == "" {
		path = "-"
	}
	fmt.Fprintf(&st.printed, "%s %s %d", c.Kind, path, c.Offset)
	switch {
	case len(c.Data) > 200:
		fmt.Fprintf(&st.printed, " %d bytes", len(c.Data))
	case c.Kind == Data:
		fmt.Fprintf(&st.printed, " %q", c.Data)
	}
	if c.Err != nil {
		fmt.Fprintf(&st.printed, ": %v", c.Err)
	}
	if st.printed.WriteByte('\n'); st.refuses && c.Kind == Data {
		return errRefused
	}
	return nil
}
