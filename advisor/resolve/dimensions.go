package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

var (
	widthNames  = []string{"d_model", "n_embd", "embed_dim", "hidden_size", "hidden_dim", "model_dim", "dim", "emb_dim", "embedding_dim", "encoder_embed_dim", "embedding_size", "emb_size", "emsize", "nhid", "d_embed", "width", "num_features", "embed_dims", "sparse_feature_size", "arch_sparse_feature_size", "model_channels", "netwidth", "trans_dim", "d_token", "hidden_units"}
	depthNames  = []string{"n_layer", "n_layers", "num_layers", "num_hidden_layers", "depth", "nlayers", "encoder_layers", "num_encoder_layers", "num_blocks", "n_blocks", "layers", "netdepth", "e_layers", "enc_layers", "n_enc_layers"}
	lengthNames = []string{"block_size", "seq_len", "seq_length", "max_seq_length", "max_seq_len", "sequence_length", "model_max_length", "max_length", "cutoff_len", "context_length", "seqlen", "max_source_length", "n_positions", "bptt", "tgt_len", "l_max", "max_sequence_length", "block_len", "max_len", "ctx_len", "max_target_length"}
)

// dimensions answers width, depth, length of sequences, size of images and
// number of parameters: of what the program builds, else of the table's model.
func (v *view) dimensions() {
	var info table.ModelInfo
	stock := false
	if v.model != nil {
		info, stock = v.model.info, v.model.ok
	}
	domain, _ := v.md.Text(workload.Domain)
	widths, depths := widthNames, depthNames
	if v.ofStages() {
		widths, depths = nil, []string{"depth"}
	}
	v.stages()
	v.dimension(workload.DModel, widths, float64(info.Width), stock, info.Origin)
	v.dimension(workload.NLayers, depths, float64(info.Layers), stock, info.Origin)
	v.layersListed()
	if stock && info.ParamsM > 0 && v.agrees(workload.DModel, info.Width) && v.agrees(workload.NLayers, info.Layers) {
		v.set(workload.ParamsM, info.ParamsM, info.Origin)
	}
	lengths := lengthNames
	if domain == "cv" { // pictures as sequences of pixels; other lengths there are of captions
		lengths = []string{"seq_len", "seq_length", "l_max"}
	}
	v.sourceAndTarget()
	if n, at, ok := v.number(lengths...); ok {
		if at != nil && at.Kind == origin.Derived && strings.HasSuffix(at.Key, "+1") && len(at.From) > 0 && at.From[0] != nil {
			n, at = n-1, at.From[0] // one more token is read, to be predicted
		}
		v.set(workload.SeqLen, n, at)
	}
	v.imageSize()
	v.sizeOfData()
	v.sizeInDataName()
	v.imagesAsTheyCome()
	if !v.has(workload.ImageSize) && stock && (domain == "cv" || domain == "multimodal") && info.Input > 0 {
		v.set(workload.ImageSize, float64(info.Input), info.Origin)
	}
}

// dimension answers one size. A pretrained model has the size of its table's
// row whatever the code says of others; a model built here has what it is
// built with.
func (v *view) dimension(f workload.Field, names []string, row float64, stock bool, at *origin.Origin) {
	pretrained := slices.ContainsFunc(v.calls("from_pretrained", "create_model"), func(c *pyeval.Call) bool {
		return !strings.Contains(c.Name, "okenizer") && !strings.Contains(c.Name, "rocessor") && !strings.Contains(c.Name, "Config")
	})
	if stock && row > 0 && pretrained {
		v.set(f, row, at)
	}
	for _, plain := range []bool{false, true} { // a plain variable may be the width of a part
		if x, _, ok := v.lookupAmong(func(n *named) bool { return isPositive(n.value) && (n.config || plain && !n.local) }, names...); ok {
			if n, _ := x.Number(); n == float64(int(n)) {
				v.set(f, n, x.Origin)
			}
		}
		if x, from, ok := v.built(names); ok {
			v.set(f, x, from)
		}
	}
	if stock && row > 0 {
		v.set(f, row, at)
	}
}

// agrees reports that a size is what a row of the table has, as far as both are
// known: a model of other sizes has another number of parameters.
func (v *view) agrees(f workload.Field, row int) bool {
	n, known := v.md.Number(f)
	return !known || row == 0 || n == float64(row)
}

// stages answers depth and width of a model that is built in stages: one number
// of each, in lists that its constructor gets.
func (v *view) stages() {
	for _, f := range []struct {
		field workload.Field
		names []string
	}{{workload.NLayers, []string{"depths", "stage_depths", "blocks_per_stage"}}, {workload.DModel, []string{"dims", "embed_dims", "stage_dims", "widths"}}} {
		if list, at, ok := v.listOf(f.names); ok {
			v.set(f.field, list, at)
		}
	}
}

// listOf is a list of several positive whole numbers that what is trained is
// built with, or that the configuration keeps, under one of several names.
func (v *view) listOf(names []string) ([]float64, *origin.Origin, bool) {
	read := func(x pyeval.Value) []float64 {
		items, whole := x.Items()
		if !whole || len(items) < 2 || len(items) > 12 {
			return nil
		}
		var list []float64
		for _, item := range items {
			if item.Kind != pyeval.Int || item.Int < 1 {
				return nil
			}
			list = append(list, float64(item.Int))
		}
		return list
	}
	for _, c := range v.obs.Calls {
		if !strings.HasPrefix(c.Name, "repo:") || !constructsName(lastPart(c.Name)) || c.Doubt || v.apart(c) {
			continue
		}
		for _, k := range c.Kw {
			if list := read(k.Value); slices.Contains(names, k.Name) && list != nil {
				return list, or(k.Value.Origin, c.Site), true
			}
		}
	}
	for _, name := range names {
		for _, n := range v.all(name) {
			of, _, inside := strings.Cut(strings.ToLower(n.path), ".")
			if list := read(n.value); list != nil && n.config && !n.doubt && n.value.Origin != nil && inside && slices.Contains(modelParts, of) {
				return list, n.value.Origin, true
			}
		}
	}
	return nil, nil, false
}

// modelParts are the parts of a configuration that describe the model.
var modelParts = []string{"model", "net", "network", "arch", "architecture", "backbone", "encoder"}

// built looks for a size among the named arguments of what builds the model.
func (v *view) built(names []string) (float64, *origin.Origin, bool) {
	if v.sizes == nil {
		v.sizes = map[string]size{}
		for _, c := range v.obs.Calls {
			if !constructsName(lastPart(c.Name)) || v.apart(c) { // "dim=1" of a function is an axis
				continue
			}
			for _, k := range c.Kw {
				if _, have := v.sizes[k.Name]; !have && isPositive(k.Value) && k.Value.Kind == pyeval.Int {
					v.sizes[k.Name] = size{float64(k.Value.Int), or(k.Value.Origin, c.Site)}
				}
			}
		}
	}
	for _, key := range names {
		if s, ok := v.sizes[key]; ok {
			return s.n, s.at, true
		}
	}
	return 0, nil, false
}

// size is a number that something is built with, and where it is written.
type size struct {
	n  float64
	at *origin.Origin
}

// layersListed answers the depth of a plain stack of layers that is configured
// by the list of their widths.
func (v *view) layersListed() {
	if family, _ := v.md.Text(workload.ModelFamily); family != "mlp" {
		return
	}
	for _, name := range []string{"d_layers", "hidden_sizes", "hidden_dims", "layer_sizes", "hidden_layer_sizes", "hidden_units", "hidden_layers"} {
		for _, n := range v.all(name) {
			items, whole := n.value.Items()
			if n.config && !n.doubt && whole && len(items) > 0 && len(items) < 100 && !slices.ContainsFunc(items, func(x pyeval.Value) bool { return x.Kind != pyeval.Int || x.Int < 1 }) {
				v.set(workload.NLayers, len(items), n.value.Origin)
				return
			}
		}
	}
}
