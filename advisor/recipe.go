package advisor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"schedmate/advisor/pyeval"
	"schedmate/advisor/pywords"
	"schedmate/advisor/resolve"
	"schedmate/advisor/source"
)

// recipe is a hash of all that a run is made from: the files that were read,
// and the words of the program. Two jobs with one recipe do the same, however
// little of it is understood. Where files stand does not count, nor do comments,
// layout and the names of variables, nor where results go, how they are called
// and which random numbers are drawn. It is empty when the program was not
// followed to its end: then what it would have read is not known.
func recipe(root *source.Root, r *resolve.Result, deadline time.Time) string {
	if r.Program == nil || r.Observed == nil || r.Observed.Entry == nil || r.Observed.Stopped != "" {
		return ""
	}
	var parts []string
	for _, file := range root.FilesRead() {
		text, err := root.Read(file)
		if err != nil || time.Now().After(deadline) {
			return ""
		}
		switch path.Ext(file) {
		case ".py":
			spelling := spelled(file, text)
			if spelling == "" {
				return ""
			}
			parts = append(parts, "python "+hash(spelling))
		case ".sh", ".sbatch", ".slurm", ".md", ".txt": // what scripts say stands in the words of the program
		default:
			parts = append(parts, "data "+hash(spelled(file, text)))
		}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	var words []string
	for _, w := range r.Program.Args {
		if !w.Known {
			return ""
		}
		words = append(words, w.Text)
	}
	kept := costly(words, r.Observed.Parsers)
	for i, w := range kept {
		kept[i] = byContent(root, r.Program.Dir, w)
	}
	return hash(strings.Join(parts, "\n") + "\n\n" + strings.Join(kept, "\x00"))
}

// byContent puts the text of a file that was read into the place of its path:
// a file that is moved is the same file.
func byContent(root *source.Root, dir, word string) string {
	name, file, assigned := strings.Cut(word, "=")
	if !assigned {
		name, file = "", word
	}
	at, ok := source.Clean(path.Join(dir, file))
	if !ok || !slices.Contains(root.FilesRead(), at) {
		return word
	}
	text, err := root.Read(at)
	if err != nil {
		return word
	}
	return name + "=file " + hash(spelled(at, text))
}

// spelled is the text of a file without what does not count; empty if it cannot
// be read.
func spelled(file string, text []byte) string {
	if path.Ext(file) == ".py" {
		return pywords.Spelling(string(text))
	}
	return string(bytes.ReplaceAll(text, []byte("\r"), nil))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// costly are the words of a command without those that never change the cost.
func costly(words []string, parsers []*pyeval.ArgumentParser) []string {
	long := map[string]string{}
	for _, p := range parsers {
		for _, o := range p.Options {
			for _, name := range o.Names {
				long[name] = o.Dest
			}
		}
	}
	var kept []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, _, assigned := strings.Cut(w, "=")
		if known, ok := long[name]; ok && known != "" {
			name = known
		} else if !assigned && !strings.HasPrefix(w, "--") && strings.ToUpper(w) != w { // a word of its own, unless it is as KEY VALUE
			kept = append(kept, w)
			continue
		}
		if !harmless(name) {
			kept = append(kept, w)
			continue
		}
		if !assigned && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++ // its value
		}
	}
	return kept
}

// harmless tells whether a setting says only where results go, how they are
// called, or which random numbers are drawn.
func harmless(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(strings.TrimLeft(name, "-+"), "-", "_"))
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	switch name {
	case "seed", "name", "run_name", "exp_name", "experiment_name", "job_name", "run_id", "project", "project_name", "tag", "tags", "notes", "comment", "group",
		"wandb_project", "wandb_run_name", "wandb_name", "wandb_entity", "wandb_group", "entity", "experiment", "logger_name", "work_dir", "random_seed", "manual_seed":
		return true
	}
	for _, what := range []string{"output", "out", "log", "logs", "logging", "save", "results", "result"} {
		for _, where := range []string{"_dir", "dir", "_path", "path", "_folder", "_root", ""} {
			if name == what+where && name != "log" {
				return true
			}
		}
	}
	return false
}
