package follow

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// life is what one file held from its making, or from its being emptied, to the
// next time that happened.
type life struct {
	path    string
	content []byte
	floor   int  // bytes that must be delivered
	base    int  // bytes that have been, at the latest look
	seen    bool // a look has found the file
	held    bool // a look of the Follower that runs now has found it

	findable int // bytes that can be read without a descriptor when the path has another file
}

// logs are files whose contents are all different, and a Follower of some of them.
type logs struct {
	t       *rapid.T
	folder  string
	opts    Options
	f       *Follower
	end     func()
	lives   []*life          // in the order of their making
	now     map[string]*life // what a path holds
	got     map[string][][]byte
	ids     map[Identity][]byte // by offset, if nothing is ever emptied or removed
	refuse  bool
	renamed int
	clock   time.Time
}

func (l *logs) start(records []Record) {
	opts := l.opts
	opts.Records = records
	f, err := newFollower(opts, func() time.Time { return l.clock })
	if err != nil {
		l.t.Fatal(err)
	}
	l.f = f
	if l.end, err = f.start(l.handle, f.opts.Linger); err != nil {
		l.t.Fatal(err)
	}
	f.notices = silence{}
	for _, life := range l.lives {
		if life.held && l.now[life.path] != life {
			life.floor = max(life.base, min(life.floor, life.findable))
		}
		life.held = false
	}
}

// restart ends the Follower and gives a saved copy of its records to another.
func (l *logs) restart() {
	saved, err := encodeRecords(l.f.Records())
	if err != nil {
		l.t.Fatal(err)
	}
	l.end()
	records, err := decodeRecords(saved)
	if err != nil {
		l.t.Fatal(err)
	}
	l.start(records)
}

var pauses = rapid.SampledFrom([]time.Duration{0, time.Second, 10 * time.Second})

var errNotNow = errors.New("not now")

// handle appends to the last segment of the path what is delivered, and checks
// that it begins where that ends.
func (l *logs) handle(c Chunk) error {
	segments := l.got[c.Path]
	switch c.Kind {
	case Failed:
		l.t.Fatalf("%s: %v", c.Path, c.Err)
	case Opened, Truncated, Rotated:
		l.got[c.Path] = append(segments, nil)
	case Data:
		if l.refuse && len(c.Data)%5 == 0 {
			l.refuse = false
			return errNotNow
		}
		if l.ids != nil {
			if int64(len(l.ids[c.File])) != c.Offset {
				l.t.Fatalf("%s: data of file %v at %d, but %d bytes of it were delivered", c.Path, c.File, c.Offset, len(l.ids[c.File]))
			}
			l.ids[c.File] = append(l.ids[c.File], c.Data...)
			return nil
		}
		last := &segments[len(segments)-1]
		if int64(len(*last)) != c.Offset {
			l.t.Fatalf("%s: data at %d, but %d bytes were delivered", c.Path, c.Offset, len(*last))
		}
		*last = append(*last, c.Data...)
	}
	return nil
}

// look delivers everything, but for what waits for a file that lost its name.
// What files hold now must be delivered some day, if it can be read then.
func (l *logs) look(after time.Duration) {
	l.clock = l.clock.Add(after)
	for _, p := range l.f.files {
		p.dirty = true
	}
	l.f.globsDirty = true
	for {
		more, err := l.f.round(l.t.Context())
		if errors.Is(err, errNotNow) {
			continue
		}
		if err != nil {
			l.t.Fatal(err)
		}
		if !more {
			break
		}
	}
	if n := l.f.open.Len(); n > l.opts.MaxOpen {
		l.t.Fatalf("%d files are open, %d may be", n, l.opts.MaxOpen)
	}
	for _, life := range l.now {
		life.floor, life.seen, life.held = len(life.content), true, true
	}
	for _, life := range l.lives {
		p := l.f.byPath[life.path]
		if p == nil || len(p.queue) == 0 || len(p.queue) == 1 && p.queue[0].lostName.IsZero() {
			life.base = life.floor
		}
	}
}

func (l *logs) path(name string) string { return filepath.Join(l.folder, name) }

// write appends to what the path holds, or makes a file. The first bytes tell
// which life it is, so that no two are alike.
func (l *logs) write(path string) {
	current := l.now[path]
	if current == nil {
		current = l.newLife(path)
	}
	text := l.text(current)
	if err := appendTo(path, text); err != nil {
		l.t.Fatal(err)
	}
	current.content = append(current.content, text...)
}

func (l *logs) newLife(path string) *life {
	current := &life{path: path}
	l.lives = append(l.lives, current)
	l.now[path] = current
	return current
}

func (l *logs) text(of *life) []byte {
	number := 0
	for i, other := range l.lives {
		if other == of {
			number = i
		}
	}
	text := fmt.Appendf(nil, "life %d byte %d ", number, len(of.content))
	extra := rapid.SampledFrom([]int{0, 1, 7, 100, 1000, 5000}).Draw(l.t, "extra bytes")
	return append(text, bytes.Repeat([]byte("."), extra)...)
}

func (l *logs) rename(path string) {
	l.renamed++
	if err := os.Rename(path, fmt.Sprintf("%s.%d", path, l.renamed)); err != nil {
		l.t.Fatal(err)
	}
}

// Whatever is written, renamed, removed, replaced and emptied, with restarts
// and with few descriptors: each path gets the bytes of each life once and in
// order; all of them if the life was known and its file could still be read.
func TestEveryByteOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLogs(t, "a.log", "b.log", "c.log")
		defer func() { l.end() }()
		names := rapid.SampledFrom(l.opts.Paths)
		held := l.opts.MaxOpen >= len(l.opts.Paths)
		// atEnd says that the file of a life has been renamed (readable) or unlinked.
		atEnd := func(path string, unlinked bool) {
			life := l.now[path]
			switch {
			case life.seen && (!unlinked || held && life.held):
				life.floor = len(life.content)
			case unlinked:
				life.floor = life.base
			}
			if !unlinked {
				life.findable = len(life.content)
			}
			delete(l.now, path)
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) { l.t = t; l.write(names.Draw(t, "path")) },
			"look":  func(t *rapid.T) { l.t = t; l.refuse = rapid.Bool().Draw(t, "refuse"); l.look(pauses.Draw(t, "after")) },
			"rename": func(t *rapid.T) {
				l.t = t
				if path := names.Draw(t, "path"); l.now[path] != nil {
					if rapid.Bool().Draw(t, "late bytes") {
						l.write(path)
					}
					l.rename(path)
					atEnd(path, false)
				}
			},
			"remove": func(t *rapid.T) {
				l.t = t
				if path := names.Draw(t, "path"); l.now[path] != nil {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
					atEnd(path, true)
				}
			},
			"replace": func(t *rapid.T) {
				l.t = t
				path := names.Draw(t, "path")
				if l.now[path] == nil {
					return
				}
				atEnd(path, true)
				next := l.newLife(path)
				next.content = l.text(next)
				temporary := path + ".new"
				if err := errors.Join(os.WriteFile(temporary, next.content, 0o644), os.Rename(temporary, path)); err != nil {
					t.Fatal(err)
				}
			},
			"empty": func(t *rapid.T) {
				l.t = t
				path := names.Draw(t, "path")
				before := l.now[path]
				if before == nil {
					return
				}
				if err := os.Truncate(path, 0); err != nil {
					t.Fatal(err)
				}
				// What was not delivered is lost, and what comes next is only safe when
				// it has been looked at: renamed before, it cannot always be recognised.
				before.floor = before.base
				l.newLife(path)
				if rapid.Bool().Draw(t, "and written to") {
					l.write(path)
				}
			},
			"restart": func(t *rapid.T) { l.t = t; l.restart() },
		})
		l.t = t
		l.look(time.Minute)
		l.look(time.Minute)
		l.check()
	})
}

func newLogs(t *rapid.T, names ...string) *logs {
	folder, err := os.MkdirTemp("", "follow")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	l := &logs{t: t, clock: time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC), folder: folder, now: make(map[string]*life), got: make(map[string][][]byte)}
	for _, name := range names {
		l.opts.Paths = append(l.opts.Paths, l.path(name))
	}
	l.opts.MaxOpen = rapid.SampledFrom([]int{1, 2, 64}).Draw(t, "descriptors")
	l.opts.Linger = rapid.SampledFrom([]time.Duration{-1, 5 * time.Second}).Draw(t, "linger")
	l.opts.BufferBytes = 2 * headBytes
	l.start(nil)
	return l
}

// check compares the segments of each path with its lives.
func (l *logs) check() {
	for _, path := range l.opts.Paths {
		segments := l.got[path]
		take := func() []byte {
			for len(segments) > 0 && len(segments[0]) == 0 {
				segments = segments[1:]
			}
			if len(segments) == 0 {
				return nil
			}
			return segments[0]
		}
		for i, life := range l.lives {
			if life.path != path {
				continue
			}
			segment := take()
			mine := segment != nil && bytes.HasPrefix(life.content, segment)
			if mine {
				segments = segments[1:]
			} else {
				segment = nil
			}
			if len(segment) < life.floor {
				l.t.Errorf("%s, life %d of %d bytes: %d delivered, want %d at least", filepath.Base(path), i, len(life.content), len(segment), life.floor)
			}
		}
		if rest := take(); rest != nil {
			l.t.Errorf("%s: delivered what was never written, or in another order: %.40q", filepath.Base(path), rest)
		}
	}
}

// With a pattern that matches all names that a file ever has, each byte is
// delivered once, whatever is renamed and however often, even if a file was
// never seen under its first name.
func TestEveryByteOnceAcrossNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLogs(t, "a.log")
		l.end()
		l.opts.Paths, l.opts.Globs = nil, []string{l.path("*.log*")}
		l.ids = make(map[Identity][]byte)
		l.start(nil)
		defer func() { l.end() }()
		names := rapid.SampledFrom([]string{l.path("a.log"), l.path("b.log")})
		files := make(map[*life]string) // their names
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				l.t = t
				path := names.Draw(t, "path")
				l.write(path)
				files[l.now[path]] = path
			},
			"look": func(t *rapid.T) { l.t = t; l.refuse = rapid.Bool().Draw(t, "refuse"); l.look(pauses.Draw(t, "after")) },
			"rotate": func(t *rapid.T) { // a.log to a.log.1, that to a.log.2, and so on
				l.t = t
				path := names.Draw(t, "path")
				for i := 100; i >= 0; i-- {
					old := fmt.Sprintf("%s.%d", path, i)
					if i == 0 {
						old = path
					}
					next := fmt.Sprintf("%s.%d", path, i+1)
					for life, name := range files {
						if name == old {
							if err := os.Rename(old, next); err != nil {
								t.Fatal(err)
							}
							files[life] = next
						}
					}
				}
				delete(l.now, path)
			},
			"write late": func(t *rapid.T) {
				l.t = t
				for i, life := range l.lives {
					if files[life] != "" && rapid.IntRange(0, 3).Draw(t, fmt.Sprint("life ", i)) == 0 {
						text := l.text(life)
						if err := appendTo(files[life], text); err != nil {
							t.Fatal(err)
						}
						life.content = append(life.content, text...)
					}
				}
			},
			"restart": func(t *rapid.T) { l.t = t; l.restart() },
		})
		l.t = t
		l.look(time.Minute)
		l.look(time.Minute)
		for i, life := range l.lives {
			st, err := statPath(files[life])
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(l.ids[st.id], life.content) {
				t.Errorf("%s, life %d of %d bytes: %d delivered", filepath.Base(files[life]), i, len(life.content), len(l.ids[st.id]))
			}
		}
	})
}
