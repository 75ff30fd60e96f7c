package resolve

import (
	"fmt"
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
)

// startsOthers are calls by which a program runs a command line.
var startsOthers = []string{"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "os.system", "os.execvp", "os.execv", "os.execvpe", "os.spawnvp"}

// startsBelow are launchers that a program calls with the words of their command
// line.
var startsBelow = map[string]string{
	"deepspeed.launcher.runner.main": "deepspeed",
	"deepspeed.runner.main":          "deepspeed",
	"torch.distributed.run.main":     "torchrun",
	"torch.distributed.launch.main":  "torchrun",
	"torch.distributed.run.run":      "torchrun",
}

// relaunched is the program that trains when the one that was submitted only
// starts it, as console scripts do that call torchrun: the last command line
// that it surely runs below a distributed launcher. Words that are no text but
// values it wrote out for the other program come with it, by their placeholders.
func relaunched(l *launch.Launch, run *launch.Invocation, v *view) (*launch.Invocation, map[string]pyeval.Value, bool) {
	for i := len(v.obs.Calls) - 1; i >= 0; i-- {
		c := v.obs.Calls[i]
		launcher := startsBelow[c.Name]
		if c.Doubt || launcher == "" && !isOneOf(c.Name, startsOthers) {
			continue
		}
		words, carried := commandLine(c)
		if launcher != "" {
			words = append([]launch.Word{{Text: launcher, Known: true, Origin: c.Site}}, words...)
		}
		for i, w := range words {
			for _, given := range run.Args { // a word that is passed on keeps its evidence
				if given.Known && w.Known && given.Text == w.Text {
					words[i].Origin = given.Origin
				}
			}
		}
		next, ok := l.Again(v.root, run, words)
		if ok && len(next.Launchers) > len(run.Launchers) && next.Doubt == run.Doubt {
			return next, carried, true
		}
	}
	return eachItsProcess(l, run, v)
}

// eachItsProcess is the program that trains when the one that was submitted
// starts it once for each device and does nothing else: what the first of them
// does stands for all.
func eachItsProcess(l *launch.Launch, run *launch.Invocation, v *view) (*launch.Invocation, map[string]pyeval.Value, bool) {
	var first *pyeval.Call
	n := 0
	for _, c := range v.obs.Calls {
		if c.Name != "subprocess.Popen" || c.Doubt || c.Loops == nil {
			continue
		}
		if first == nil {
			first = c
		}
		if c.Site.String() == first.Site.String() {
			n++
		}
	}
	if n < 2 || v.reached() {
		return nil, nil, false
	}
	words, carried := commandLine(first)
	next, ok := l.Again(v.root, run, words)
	if !ok || next.Doubt != run.Doubt || next.Name == run.Name && len(next.Args) <= len(run.Args) { // itself with no word more would start others again
		return nil, nil, false
	}
	each := launch.Count{N: n, Known: true, Origin: or(v.deviceCount(n), first.Site)}
	next.Launchers = append(next.Launchers, launch.Launcher{Name: "subprocess", Settings: map[string]launch.Word{}, Origin: first.Site})
	next.PerNode, next.Processes = each, each
	if next.Nodes.Known && next.Nodes.N > 1 {
		next.Processes = launch.Count{N: n * next.Nodes.N, Known: true, Origin: origin.Computed(fmt.Sprintf("%d*%d", n, next.Nodes.N), each.Origin, next.Nodes.Origin)}
	}
	return next, carried, true
}

// deviceCount is where the number of devices of a node comes from, when it is n.
func (v *view) deviceCount(n int) *origin.Origin {
	if visible, at := v.visible(); visible == n {
		return at
	}
	return nil
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
func commandLine(c *pyeval.Call) (words []launch.Word, carried map[string]pyeval.Value) {
	x, ok := c.Arg("args", 0)
	if !ok {
		return nil, nil
	}
	if o := x.Object(); o != nil && c.Name == "torch.distributed.run.run" {
		return parsedLine(o, c), nil
	}
	if strings.HasPrefix(c.Name, "os.exec") || strings.HasPrefix(c.Name, "os.spawn") {
		last := len(c.Args) - 1
		if strings.HasSuffix(c.Name, "e") { // the environment comes after the words
			last--
		}
		x, _ = c.Arg("args", last)
	}
	if x.Kind == pyeval.Str {
		for _, w := range strings.Fields(x.Text) {
			words = append(words, launch.Word{Text: w, Known: !strings.Contains(w, "<"), Origin: or(x.Origin, c.Site)})
		}
		return words, nil
	}
	carried = map[string]pyeval.Value{}
	items, _ := x.Items()
	for _, item := range items {
		text := item.String()
		if item.External() != nil {
			text = fmt.Sprintf("<written value %d>", len(carried))
			carried[text] = item
		}
		words = append(words, launch.Word{Text: text, Known: item.Known() && !strings.Contains(text, "<"), Origin: or(item.Origin, c.Site)})
	}
	return words, carried
}

// parsedLine is the command line behind options of torchrun that a program has
// parsed, or put together, itself.
func parsedLine(o *pyeval.Object, c *pyeval.Call) []launch.Word {
	word := func(x pyeval.Value) launch.Word {
		return launch.Word{Text: x.String(), Known: x.Known() && x.External() == nil, Origin: or(x.Origin, c.Site)}
	}
	var words []launch.Word
	for _, name := range []string{"nnodes", "nproc_per_node"} {
		if x, ok := o.Attrs.Get(name); ok && x.Kind != pyeval.None && x.String() != "1:1" {
			words = append(words, launch.Word{Text: "--" + name, Known: true, Origin: or(x.Origin, c.Site)}, word(x))
		}
	}
	if m, ok := o.Attrs.Get("module"); ok && m.Kind == pyeval.Bool && m.Int == 1 {
		words = append(words, launch.Word{Text: "-m", Known: true, Origin: c.Site})
	}
	script, ok := o.Attrs.Get("training_script")
	if !ok {
		return nil
	}
	words = append(words, word(script))
	rest, _ := o.Attrs.Get("training_script_args")
	items, _ := rest.Items()
	for _, x := range items {
		words = append(words, word(x))
	}
	return words
}
