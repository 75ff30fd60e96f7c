package resolve

import (
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/pyeval"
)

// startsOthers are calls by which a program runs a command line.
var startsOthers = []string{"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "os.system", "os.execvp", "os.execv", "os.execvpe", "os.spawnvp"}

// relaunched is the program that trains when the one that was submitted only
// starts it, as console scripts do that call torchrun: the last command line
// that it surely runs below a distributed launcher.
func relaunched(l *launch.Launch, run *launch.Invocation, v *view) (*launch.Invocation, bool) {
	for i := len(v.obs.Calls) - 1; i >= 0; i-- {
		c := v.obs.Calls[i]
		if c.Doubt || !isOneOf(c.Name, startsOthers) {
			continue
		}
		words := commandLine(c)
		for i, w := range words {
			for _, given := range run.Args { // a word that is passed on keeps its evidence
				if given.Known && w.Known && given.Text == w.Text {
					words[i].Origin = given.Origin
				}
			}
		}
		next, ok := l.Again(v.root, run, words)
		if ok && len(next.Launchers) > len(run.Launchers) && next.Doubt == run.Doubt {
			return next, true
		}
	}
	return nil, false
}

func isOneOf(name string, all []string) bool {
	for _, a := range all {
		if name == a {
			return true
		}
	}
	return false
}

// commandLine is the command line that a call runs, as words; what is not known
// of it are unknown words.
func commandLine(c *pyeval.Call) []launch.Word {
	x, ok := c.Arg("args", 0)
	if !ok {
		return nil
	}
	if strings.HasPrefix(c.Name, "os.exec") || strings.HasPrefix(c.Name, "os.spawn") {
		x, _ = c.Arg("args", len(c.Args)-1)
	}
	var words []launch.Word
	if x.Kind == pyeval.Str {
		for _, w := range strings.Fields(x.Text) {
			words = append(words, launch.Word{Text: w, Known: !strings.Contains(w, "<"), Origin: or(x.Origin, c.Site)})
		}
		return words
	}
	items, _ := x.Items()
	for _, item := range items {
		text := item.String()
		words = append(words, launch.Word{Text: text, Known: item.Known() && !strings.Contains(text, "<"), Origin: or(item.Origin, c.Site)})
	}
	return words
}
