package resolve

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

// precision answers the arithmetic of training. In order of trust: the
// launcher's word (it beats the script's), a trainer's, autocast and casts on
// the path, switches of known names; without any it is fp32.
func (v *view) precision() {
	for _, l := range v.run.Launchers {
		if w, ok := l.Settings["mixed_precision"]; ok && w.Known {
			if p, ok := precisionName(w.Text); ok {
				v.set(workload.Precision, p, w.Origin)
			}
		}
	}
	if gpus, ok := v.md.Number(workload.GPUsTotal); ok && gpus == 0 {
		v.set(workload.Precision, "fp32", origin.Named(origin.Rule, "on CPUs without a word on precision"))
	}
	trainers := v.calls("Trainer", "Fabric", "Accelerator", "LightningCLI", "Booster")
	for _, c := range sure(trainers) {
		for _, key := range []string{"precision", "mixed_precision"} {
			if x, ok := c.Arg(key, -1); ok {
				if p, ok := precisionName(x.String()); ok {
					v.set(workload.Precision, p, or(x.Origin, c.Site))
				}
			}
		}
	}
	v.runnerPrecision()
	v.sharded()
	v.autocast()
	v.switchedOff()
	for _, sw := range []struct{ key, is string }{{"bf16", "amp-bf16"}, {"fp16", "amp-fp16"}, {"amp", "amp-fp16"}, {"use_amp", "amp-fp16"}, {"mixed_precision", "amp-fp16"}, {"half_precision", "amp-fp16"}, {"use_bf16", "amp-bf16"}, {"use_bfloat16", "amp-bf16"}, {"use_fp16", "amp-fp16"}} {
		if at, on := v.flag(sw.key); on {
			v.set(workload.Precision, sw.is, at)
		}
	}
	for _, key := range sortedNames(v.names) { // so many parts of a network in half precision
		if strings.HasPrefix(key, "num_fp16_") || strings.HasPrefix(key, "n_fp16_") {
			if x, _, ok := v.lookupAmong(func(n *named) bool { return n.config && !n.doubt && isPositive(n.value) }, key); ok {
				v.set(workload.Precision, "amp-fp16", x.Origin)
			}
		}
	}
	if t, at, ok := v.text("precision", "mixed_precision", "dtype", "amp_dtype", "torch_dtype", "compute_dtype"); ok {
		if p, known := precisionName(t); known {
			v.set(workload.Precision, p, at)
		}
	}
	v.scaled()
	for _, c := range sure(trainers) {
		if c.Open { // it may be among the arguments that are not known
			return
		}
	}
	if at := v.castsBySwitch(); at != "" {
		v.why(workload.Precision, "a model casts to 16 bits by a switch of its own, at "+at)
		return
	}
	v.absent(workload.Precision, "no-mixed-precision")
}

// switchedCast is a type of numbers that is chosen where a model is run.
var switchedCast = regexp.MustCompile(`=\s*(?:torch|jnp)\.(?:float16|half|bfloat16)\s+if\s`)

// castsBySwitch is the place in a forward pass of the code that was read where the
// model itself chooses between 16 and 32 bits; "" if there is none. Whether the
// switch is on is told by what makes the model, mostly layer by layer.
func (v *view) castsBySwitch() string {
	for _, file := range v.root.FilesRead() {
		if path.Ext(file) != ".py" {
			continue
		}
		text, err := v.root.Read(file)
		if err != nil || !switchedCast.Match(text) {
			continue
		}
		within, n := "", 0
		for line := range strings.Lines(string(text)) {
			n++
			if def, ok := strings.CutPrefix(strings.TrimSpace(line), "def "); ok {
				within, _, _ = strings.Cut(def, "(")
			}
			if (within == "forward" || within == "__call__") && switchedCast.MatchString(line) {
				return file + ":" + strconv.Itoa(n)
			}
		}
	}
	return ""
}

// scaled is mixed precision of which only the scaler of gradients was seen: it is
// made for half precision alone.
func (v *view) scaled() {
	if len(v.calls("autocast")) > 0 {
		return
	}
	used := func(c *pyeval.Call) bool {
		return strings.Contains(c.Name, "GradScaler") && (c.Func != "load_state_dict" || c.Loops != nil)
	}
	if v.train != nil && !slices.ContainsFunc(v.calls("scale", "step"), used) { // made for runs that switch it on
		return
	}
	for _, c := range v.calls("GradScaler", "ShardedGradScaler") {
		on, told := c.Arg("enabled", -1)
		if yes := !told || on.Kind == pyeval.Bool && on.Int == 1; yes && !c.Doubt && strings.HasPrefix(c.Name, "torch.") {
			v.set(workload.Precision, "amp-fp16", c.Site)
		}
	}
}

// autocast reads the regions of mixed precision that the path goes through.
func (v *view) autocast() {
	for _, c := range sure(v.calls("autocast", "initialize")) {
		switch {
		case strings.HasSuffix(c.Name, "amp.initialize"):
			level, _ := c.Arg("opt_level", 2)
			switch level.Text {
			case "O0":
				continue
			case "O3":
				v.set(workload.Precision, "fp16", or(level.Origin, c.Site))
			default:
				v.set(workload.Precision, "amp-fp16", or(level.Origin, c.Site))
			}
			return
		case strings.Contains(c.Name, "autocast"):
			if e, ok := c.Arg("enabled", -1); ok && e.Kind == pyeval.Bool && e.Int == 0 {
				continue
			}
			if e, ok := c.Arg("enabled", 0); ok && e.Kind == pyeval.Bool && e.Int == 0 {
				continue
			}
			if e, ok := c.Arg("enabled", -1); ok && e.Kind != pyeval.Bool && v.allOff() != nil {
				continue // something that was not followed decides, by the switches
			}
			kind := "amp-fp16"
			at := c.Site
			if d, ok := c.Arg("dtype", 1); ok {
				at = or(d.Origin, at)
				for _, a := range d.Alternatives() {
					if strings.Contains(a.String(), "bfloat16") {
						kind = "amp-bf16"
					}
				}
				if len(d.Alternatives()) > 1 && !v.bf16() {
					kind = "amp-fp16"
				}
				if !slices.ContainsFunc(d.Alternatives(), func(a pyeval.Value) bool {
					return strings.Contains(a.String(), "float") || strings.Contains(a.String(), "half")
				}) {
					if from, on := v.flag("bf16", "use_bf16", "use_bfloat16"); on { // the code picks the type by it
						kind, at = "amp-bf16", from
					}
				}
			}
			v.set(workload.Precision, kind, at)
			return
		}
	}
}

// allOff is where the switches of known names say that there is no mixed
// precision: nil if one of them is on, or there are fewer than two.
func (v *view) allOff() *origin.Origin {
	var off []*origin.Origin
	for _, key := range []string{"fp16", "bf16", "amp"} {
		x, _, ok := v.lookup(isBool, key)
		if ok && x.Int != 0 {
			return nil
		}
		if ok && x.Origin != nil {
			off = append(off, x.Origin)
		}
	}
	if len(off) < 2 {
		return nil
	}
	return off[0]
}

// switchedOff is what a region of mixed precision computes in when something that
// was not followed switches it on and all switches of the program are off.
func (v *view) switchedOff() {
	for _, c := range sure(v.calls("autocast")) {
		if e, ok := c.Arg("enabled", -1); ok && e.Kind != pyeval.Bool {
			if at := v.allOff(); at != nil {
				v.set(workload.Precision, "fp32", at)
			}
		}
	}
}

func (v *view) bf16() bool {
	t := v.launch.Requested.GPUType
	return !t.Known || !beforeAmpere(t.Text)
}

// precisionName brings a word for a precision to its canonical name.
func precisionName(text string) (string, bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "32", "32-true", "fp32", "float32", "no", "full":
		return "fp32", true
	case "16", "16-mixed", "amp-fp16", "fp16", "amp_fp16", "amp", "float16", "half":
		return "amp-fp16", true
	case "bf16", "bf16-mixed", "amp_bf16", "amp_bfloat16", "amp-bf16", "bfloat16":
		return "amp-bf16", true
	case "bf16-true", "pure_bf16":
		return "bf16", true
	case "16-true", "pure_fp16":
		return "fp16", true
	case "fp8":
		return "fp8", true
	}
	return "", false
}
