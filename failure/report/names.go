package report

import (
	"path"
	"strings"

	"schedmate"
	"schedmate/failure"
)

// shorten gives the logs of a cleaned incident the shortest names that tell them
// apart: of a long path the end is what a reader looks for, and the rest leaves no
// room for what the line says. The machine form keeps the whole names.
func shorten(in *failure.Incident) {
	short := shortNames(in.Logs)
	rename := func(file *string) {
		if name, ok := short[*file]; ok {
			*file = name
		}
	}
	for i := range in.Logs {
		rename(&in.Logs[i].Name)
	}
	d := &in.Diagnosis
	if d.Root != nil {
		rename(&d.Root.File)
	}
	for _, quotes := range [][]schedmate.Quote{d.Evidence, d.Witnesses} {
		for i := range quotes {
			rename(&quotes[i].File)
		}
	}
	for i := range d.Also {
		rename(&d.Also[i].File)
	}
	for i := range in.Groups {
		g := &in.Groups[i]
		rename(&g.Quote.File)
		for k := range g.Effects {
			rename(&g.Effects[k].First.File)
		}
	}
}

// shortNames finds for each log the shortest end of its path that no other has.
func shortNames(logs []failure.ReadLog) map[string]string {
	short := map[string]string{}
	for _, l := range logs {
		if l.Name != "" && !strings.HasPrefix(l.Name, "/dev/") { // 63 is no name
			short[l.Name] = path.Base(l.Name)
		}
	}
	for changed := true; changed; {
		changed = false
		owners := map[string][]string{}
		for name, s := range short {
			owners[s] = append(owners[s], name)
		}
		for s, names := range owners {
			if len(names) == 1 {
				continue
			}
			for _, name := range names {
				if longer := oneFolderMore(name, s); longer != s {
					short[name], changed = longer, true
				}
			}
		}
	}
	return short
}

// oneFolderMore is the end of a path with one folder more than the given end.
func oneFolderMore(name, end string) string {
	rest := strings.TrimSuffix(strings.TrimSuffix(name, end), "/")
	if rest == "" || !strings.HasSuffix(name, end) {
		return name
	}
	return path.Join(path.Base(rest), end)
}
