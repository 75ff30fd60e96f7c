package resolve

import (
	"strings"

	"schedmate/advisor/origin"
)

// askedData is the data set that the command itself names, by a plain name: nil
// when it names none so. A default for files of others, such
// as "--data-path train.csv", does not come before it.
func (v *view) askedData() *named {
	for _, key := range []string{"dataset_name", "dataset", "data_name", "data_set", "data"} {
		for _, n := range v.all(key) {
			at, text := n.value.Origin, n.value.Text
			if !n.config || n.doubt || at == nil || at.Kind != origin.CLI || !isText(n.value) {
				continue
			}
			if len(text) < 2 || len(text) > 60 || strings.ContainsAny(text, "/.\\ ") || vague[strings.ToLower(text)] || isTask(text) {
				return nil
			}
			return &n
		}
	}
	return nil
}

// onlyDefault reports that a value is the default of an option of the program.
func onlyDefault(at *origin.Origin) bool {
	return at != nil && at.Kind == origin.Python && at.Beat == nil
}
