package follow

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// expand returns the files that match a pattern of filepath.Match, sorted, and
// the folders in which one that appears could match. Folders that cannot be
// read match nothing; it is the first such error that is returned, with the rest.
func expand(pattern string) (files, folders []string, err error) {
	pattern = filepath.Clean(pattern)
	at := []string{""}
	rest := pattern
	if filepath.IsAbs(pattern) {
		at = []string{string(filepath.Separator)}
		rest = strings.TrimLeft(pattern, string(filepath.Separator))
	}
	levels := strings.Split(rest, string(filepath.Separator))
	varied := false // some level so far matched more than its own name
	for i, level := range levels {
		varied = varied || strings.ContainsAny(level, `*?[\`)
		var next []string
		for _, folder := range at {
			if !varied {
				next = append(next, filepath.Join(folder, level))
				continue
			}
			folders = append(folders, orDot(folder))
			names, e := matching(orDot(folder), level, i < len(levels)-1)
			if err == nil {
				err = e
			}
			for _, name := range names {
				next = append(next, filepath.Join(folder, name))
			}
		}
		at = next
	}
	if !varied {
		if info, e := os.Lstat(pattern); e != nil || info.IsDir() {
			return nil, []string{filepath.Dir(pattern)}, nil
		}
		return at, []string{filepath.Dir(pattern)}, nil
	}
	return at, folders, err
}

func orDot(folder string) string {
	if folder == "" {
		return "."
	}
	return folder
}

// matching returns the names in a folder that match one level of a pattern:
// folders and links, or anything but folders.
func matching(folder, level string, folders bool) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		if absent(err) {
			return nil, nil
		}
		return nil, err
	}
	var names []string
	for _, e := range entries {
		isLink := e.Type()&fs.ModeSymlink != 0
		if folders && !e.IsDir() && !isLink || !folders && e.IsDir() {
			continue
		}
		if ok, err := filepath.Match(level, e.Name()); err != nil {
			return nil, err
		} else if ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
