package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Seen is what an answer about a repository stands on: the texts that were
// read, the folders that were listed, and what stood at each other path that
// was looked at. As long as it all holds, reading again gives the same answer.
type Seen struct {
	Files   map[string]string `json:"files,omitempty"`   // path -> hash of its text
	Folders map[string]string `json:"folders,omitempty"` // path -> hash of its entries
	Paths   map[string]string `json:"paths,omitempty"`   // path -> what stands there: see standing

	// Stamps are states of files and folders: as long as one holds, it need
	// not be read again.
	Stamps map[string]string `json:"stamps,omitempty"`

	// Absent are the paths where nothing stood, by the folder in which something
	// must appear first. There are many: they are one text, and read only when
	// the folder's stamp does not hold.
	Absent map[string]Names `json:"absent,omitempty"`
}

// Names are paths in one text. No clean path holds what joins them.
type Names string

const between = "//"

// All are the single paths.
func (n Names) All() []string {
	if n == "" {
		return nil
	}
	return strings.Split(string(n), between)
}

// look is what was found at a path; nil: nothing that may be read.
type look struct{ info fs.FileInfo }

// Seen tells what was read and looked at so far. It reports false when the
// deadline cut the reading short: what was seen then depends on the machine.
func (r *Root) Seen() (*Seen, bool) {
	s := &Seen{Files: map[string]string{}, Folders: map[string]string{}, Paths: map[string]string{}, Stamps: map[string]string{}, Absent: map[string]Names{}}
	for name, f := range r.files {
		if f.err == nil {
			s.Files[name] = digest(f.text)
			r.keepStamp(s, name)
		} else {
			s.Paths[name] = r.standing(name)
		}
	}
	for name, entries := range r.listed {
		s.Folders[name] = listing(entries)
		r.keepStamp(s, name)
	}
	for name, l := range r.looked {
		if _, read := s.Files[name]; !read && s.Paths[name] == "" {
			s.Paths[name] = kindOf(l.info)
		}
	}
	absent := map[string][]string{}
	for name, was := range s.Paths {
		if was != nothing {
			continue
		}
		if folder, ok := r.emptyIn(name); ok && r.keepStamp(s, folder) {
			absent[folder] = append(absent[folder], name)
			delete(s.Paths, name)
		}
	}
	for folder, names := range absent {
		slices.Sort(names)
		s.Absent[folder] = Names(strings.Join(names, between))
	}
	return s, !r.late()
}

// Holds reports whether a folder still is as it was seen. It reads no more than
// what was read then, and of that only what may have changed.
func (s *Seen) Holds(folder string, limits Limits, deadline time.Time) bool {
	r, err := Open(folder, limits, deadline)
	if err != nil {
		return false
	}
	defer r.Close()
	unchanged := map[string]bool{}
	for name, stamp := range s.Stamps {
		unchanged[name] = stamp != "" && r.stamp(name) == stamp
	}
	for name, sum := range s.Files {
		if unchanged[name] {
			continue
		}
		text, err := r.Read(name)
		if err != nil || digest(text) != sum {
			return false
		}
	}
	for name, sum := range s.Folders {
		if !unchanged[name] && listing(r.List(name)) != sum {
			return false
		}
	}
	for name, was := range s.Paths {
		now := ""
		if strings.Contains(was, " ") {
			now = r.standing(name)
		} else {
			info, _ := r.stat(name)
			now = kindOf(info)
		}
		if now != was {
			return false
		}
	}
	for folder, names := range s.Absent {
		if unchanged[folder] {
			continue
		}
		for _, name := range names.All() {
			if _, stands := r.stat(name); stands {
				return false
			}
		}
	}
	return true
}

// standing tells what stands at a path that could not be read: of a file size
// and time of change too, for its text is not known.
func (r *Root) standing(name string) string {
	info, ok := r.stat(name)
	if !ok || info.IsDir() {
		return kindOf(info)
	}
	return fmt.Sprintf("%s %d %d", kindOf(info), info.Size(), info.ModTime().UnixNano())
}

// nothing stands at a path.
const nothing = "nothing"

func kindOf(info fs.FileInfo) string {
	switch {
	case info == nil:
		return nothing
	case info.IsDir():
		return "folder"
	case info.Mode().IsRegular():
		return "file"
	}
	return "other"
}

func listing(entries []fs.DirEntry) string {
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Type().String()+" "+e.Name())
	}
	slices.Sort(names)
	return digest([]byte(strings.Join(names, "\x00")))
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
