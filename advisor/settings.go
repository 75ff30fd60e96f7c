package advisor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/fingerprint"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/resolve"
	"schedmate/advisor/source"
	"schedmate/advisor/workload"
)

const (
	mostSettings    = 4000
	deepestSetting  = 10
	longestList     = 200
	longestOfValues = 200 // bytes: a longer text is no setting
)

// settings tells by hashes what the program was set to do beyond the fields: a
// cap on samples, a list of data, a switch of the model, a width that no field
// holds. Where a setting was made does not count, nor whether it is a default.
// They are empty when the program was not followed to its end: then other
// settings may have been made later.
func settings(root *source.Root, r *resolve.Result) fingerprint.Settings {
	all := set(root, r)
	if len(all) > fingerprint.MostSettings {
		all = grouped(all)
	}
	hashes := fingerprint.Settings{}
	for name, value := range all {
		if value != fingerprint.Open && value != fingerprint.Off {
			value = hash(value)[:8]
		}
		hashes[name] = value
	}
	return hashes
}

// grouped joins the settings below one name.
func grouped(all map[string]string) map[string]string {
	lines := map[string][]string{}
	for name, value := range all {
		if value == fingerprint.Open || value == fingerprint.Off {
			continue
		}
		top, _, _ := strings.Cut(name, ".")
		lines[top] = append(lines[top], name+"="+value)
	}
	if len(lines) > fingerprint.MostSettings {
		return nil
	}
	joined := map[string]string{}
	for top, list := range lines {
		slices.Sort(list)
		joined[top] = strings.Join(list, "\n")
	}
	return joined
}

// set are the settings in clear.
func set(root *source.Root, r *resolve.Result) map[string]string {
	if r.Program == nil || r.Observed == nil || r.Observed.Entry == nil || r.Observed.Stopped != "" {
		return nil
	}
	b := settingBook{held: heldBy(r.Metadata), files: map[string]bool{}, dir: r.Program.Dir, values: map[string]string{}}
	for _, file := range root.FilesRead() {
		b.files[file] = configures(file)
	}
	for _, d := range r.Observed.Loaded {
		b.walk("", d, 0, nil)
	}
	for _, c := range r.Observed.Configs { // the later ones are made from the earlier
		b.walk("", c, 0, nil)
	}
	return b.values
}

// settingBook collects the last value of each setting.
type settingBook struct {
	held   map[place]bool
	files  map[string]bool   // configurations that were read: they count by what they say
	dir    string            // where the program runs
	values map[string]string // by name
}

// place is where a value was set.
type place struct {
	kind origin.Kind
	file string
	line int
	key  string
}

func placeOf(o *origin.Origin) place { return place{o.Kind, o.File, o.Line, o.Key} }

// heldBy are the places that the fields were read from.
func heldBy(m *workload.Metadata) map[place]bool {
	held := map[place]bool{}
	var add func(o *origin.Origin, depth int)
	add = func(o *origin.Origin, depth int) {
		if o == nil || depth > 12 {
			return
		}
		if o.Kind != origin.Derived && (o.File == "" || o.Key != "") {
			held[placeOf(o)] = true
		}
		for _, from := range o.From {
			add(from, depth+1)
		}
	}
	for _, v := range m.Values {
		add(v.Origin, 0)
	}
	for _, all := range m.Candidates {
		for _, v := range all {
			add(v.Origin, 0)
		}
	}
	return held
}

func (b *settingBook) walk(name string, v pyeval.Value, depth int, above []*pyeval.Dict) {
	if depth > deepestSetting || len(b.values) >= mostSettings {
		return
	}
	d := v.Dict()
	if o := v.Object(); o != nil {
		d = o.Attrs
	}
	if d != nil {
		if slices.Contains(above, d) {
			return
		}
		above = append(slices.Clip(above), d)
		d.Each(func(k, item pyeval.Value) {
			if k.Kind == pyeval.Str && !strings.HasPrefix(k.Text, "_") && !idle(k.Text) && !secretName(k.Text) {
				b.walk(strings.TrimPrefix(name+"."+plain(k.Text), "."), item, depth+1, above)
			}
		})
		return
	}
	if items, ok := v.Items(); ok {
		if text, flat := listText(items); flat {
			b.set(name, text, v)
			return
		}
		for i, item := range items {
			b.walk(name+"."+strconv.Itoa(i), item, depth+1, above)
		}
		return
	}
	b.set(name, scalar(v), v)
}

func (b *settingBook) set(name, text string, v pyeval.Value) {
	if v.Origin != nil && b.held[placeOf(v.Origin)] || v.Kind == pyeval.Str && b.files[path.Join(b.dir, v.Text)] {
		text = fingerprint.Open
	}
	if len(b.values) < mostSettings {
		b.values[name] = text
	}
}

// configures tells whether a file is written as configurations are.
func configures(file string) bool {
	switch path.Ext(file) {
	case ".yaml", ".yml", ".toml", ".gin", ".py", ".cfg", ".ini":
		return true
	case ".json":
		return strings.Contains(file, "conf")
	}
	return false
}

// listText writes a list of plain values; false if it holds others.
func listText(items []pyeval.Value) (string, bool) {
	if len(items) == 0 {
		return fingerprint.Off, true
	}
	if len(items) > longestList {
		return fingerprint.Open, true
	}
	var texts []string
	for _, item := range items {
		if _, isList := item.Items(); isList || item.Dict() != nil || item.Object() != nil {
			return "", false
		}
		text := scalar(item)
		if text == fingerprint.Open {
			return text, true
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ","), true
}

// scalar writes a plain value. A number that is written as a text is that
// number, a path is its last part without the ending.
func scalar(v pyeval.Value) string {
	if v.Kind == pyeval.None {
		return fingerprint.Off
	}
	if x, ok := v.Number(); ok {
		return number(x)
	}
	if v.Kind != pyeval.Str || len(v.Text) > longestOfValues {
		return fingerprint.Open
	}
	text := strings.Trim(strings.ToLower(strings.Join(strings.Fields(v.Text), " ")), "/")
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return number(x)
	}
	switch text {
	case "", "none", "null", "false", "no", "off":
		return fingerprint.Off
	case "true", "yes", "on":
		return "1"
	}
	base := path.Base(text)
	return strings.TrimSuffix(base, path.Ext(base))
}

func number(x float64) string {
	if x == 0 {
		return fingerprint.Off
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// plain is a name in one spelling.
func plain(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, "-")), "-", "_")
}

// idle tells whether a setting never changes what a run costs, or is one that
// the fields hold: however it is spelled, the fields tell it.
func idle(name string) bool {
	name = plain(name)
	if harmless(name) {
		return true
	}
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == '.' || c == ' ' })
	for _, w := range parts {
		if idleWords[w] {
			return true
		}
	}
	return idleNames[strings.Join(parts, "")]
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

var (
	// idleWords make any name idle that they are a word of.
	idleWords = words(`
		seed seeds output out log logs logger logging logdir outdir workdir save saves saving saved snapshot wandb mlflow comet neptune tensorboard
		clearml report reporting print verbose verbosity debug profile profiler profiling plot plots visualize visualizer vis project entity tags note notes comment
		port host master world machine machines machineid addr url ip rank ranks device devices gpu gpus node nodes nnodes nproc distributed dist ddp fsdp deepspeed backend resume checkpoint
		checkpoints ckpt ckpts pretrained weights hub cache tmp temp username user email token timestamp date time version
		lr rate momentum decay beta beta1 beta2 betas eps epsilon gamma warmup dropout drop smoothing clip grad
		epoch epochs iters iterations batch batchsize workers precision amp fp16 bf16 tf32 eval evaluate evaluation val valid validation test testing
		optim optimizer lrscheduler sched scheduler schedule name names exp experiment experiments run job`)
	// idleNames are idle as a whole.
	idleNames = words(`id desc description title group path file filename files cwd home help config configs cfg cfgfile configfile configpath root dir folder
		steps maxsteps numsteps totalsteps totaltimesteps maxtokens tokens pinmemory prefetchfactor persistentworkers deterministic benchmark compile
		accumulation accum accumgrad opts options cfgoptions overrides unknown remainder shufflebuffersize track capturevideo`)
)
