package table

import (
	"strings"
	"unicode"
)

// Limits of a name that is looked up; a longer text names nothing.
const (
	maxName  = 300 // bytes
	maxWords = 40
)

// words splits a name at its borders: separators, and where a capital begins
// a part of a camel-case name. A point between digits is no border.
func words(name string) []string {
	if len(name) > maxName {
		return nil
	}
	runes := []rune(name)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	var all []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for i, r := range runes {
		switch {
		case r == '.' && unicode.IsDigit(at(i-1)) && unicode.IsDigit(at(i+1)):
			word.WriteRune(r)
		case r == '+' && word.Len() > 0 && (at(i+1) == '+' || at(i-1) == '+' || i == len(runes)-1): // U-Net++
			word.WriteString("plus")
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && (unicode.IsLower(at(i-1)) || unicode.IsLower(at(i+1)) || unicode.IsDigit(at(i-1)) && unicode.IsLetter(at(i+1))): // not 7B
			end()
			word.WriteRune(unicode.ToLower(r))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
	}
	end()
	if len(all) > maxWords {
		return nil
	}
	return all
}

// key is a name without case and separators.
func key(name string) string { return strings.Join(words(name), "") }

// fileSuffixes are cut off the end of a name: a checkpoint or a configuration
// is called after what it holds.
var fileSuffixes = []string{
	".py", ".yaml", ".yml", ".json", ".jsonl", ".toml", ".gin", ".cfg", ".sh", ".ipynb",
	".pt", ".pth", ".ckpt", ".safetensors", ".bin", ".gguf", ".onnx", ".h5", ".pkl", ".pkl.gz", ".npz", ".tar", ".tar.gz", ".zip",
	".csv", ".tsv", ".txt", ".parquet", ".tfrecord", ".arrow", ".hdf5",
}

func cutSuffix(name string) (string, bool) {
	for _, s := range fileSuffixes {
		if len(name) > len(s) && strings.EqualFold(name[len(name)-len(s):], s) {
			return name[:len(name)-len(s)], true
		}
	}
	return name, false
}

// parts lists what a text may be called after, the best first: of
// "organisation/name" the name alone, unless organisations name things too; of
// a path its last part and then the folders above it.
func parts(text string, organisations bool) []string {
	text = strings.TrimSpace(text)
	isPath := organisations || strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~")
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' || r == ':' })
	var all []string
	for i := len(fields) - 1; i >= 0; i-- {
		name, cut := cutSuffix(strings.TrimSpace(fields[i]))
		isPath = isPath || cut || len(fields) > 2
		if key(name) != "" {
			all = append(all, name)
		}
		if !isPath && len(all) == 1 && strings.ContainsFunc(name, unicode.IsLetter) { // a part such as "16" is no name of its own
			break
		}
	}
	return all
}
