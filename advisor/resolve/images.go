package resolve

import (
	"strings"

	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

var imageNames = []string{"force_image_size", "image_size", "img_size", "input_size", "imgsz", "imagesize", "crop_size", "train_crop_size", "resolution", "image_resolution", "img", "input_res", "train_res", "size", "img_dim", "crop"}

// imagesAsTheyCome is the size of a data set's images, where nothing on the path
// makes another of it.
func (v *view) imagesAsTheyCome() {
	name, _ := v.md.Text(workload.Dataset)
	side, ok := table.SideOf(name)
	if !ok || !v.reached() || len(v.calls("Resize", "resize", "RandomResizedCrop", "CenterCrop", "RandomCrop", "Pad", "interpolate", "AutoImageProcessor", "create_transform", "from_pretrained")) > 0 {
		return
	}
	v.set(workload.ImageSize, float64(side.Pixels), side.Origin)
}

// imageSize is what transforms cut images to, or an option says.
func (v *view) imageSize() {
	v.runnerImage()
	for _, c := range sure(v.calls("RandomResizedCrop", "RandomCrop")) {
		x, ok := c.Arg("size", 0)
		if !ok {
			continue
		}
		if items, _ := x.Items(); len(items) > 0 {
			x = items[0]
		}
		if isPositive(x) {
			n, _ := x.Number()
			v.set(workload.ImageSize, n, or(x.Origin, c.Site))
			return
		}
	}
	domain, _ := v.md.Text(workload.Domain)
	if domain == "nlp" || domain == "recsys" || domain == "rl" || domain == "audio" {
		return
	}
	plausible := func(n *named) bool {
		x := n.value
		if items, _ := x.Items(); len(items) > 0 {
			x = items[len(items)-1]
		}
		size, is := x.Number()
		return is && size >= 8 && size <= 4096 && !v.features(x) && !strings.Contains(normal(n.path), "patch")
	}
	ofData := func(n *named) bool { // a model may work on something smaller than the pictures
		top, _, _ := strings.Cut(n.path, ".")
		return strings.HasPrefix(normal(top), "data") && plausible(n)
	}
	x, _, ok := v.lookupAmong(ofData, imageNames...)
	for _, key := range imageNames {
		if !ok {
			x, _, ok = v.lookupAmong(plausible, key)
		}
		if !ok {
			continue
		}
		if items, _ := x.Items(); len(items) > 0 {
			at := x.Origin
			x = items[len(items)-1]
			x.Origin = or(x.Origin, at)
		}
		n, _ := x.Number()
		if v.set(workload.ImageSize, n, x.Origin) {
			return
		}
		ok = false
	}
}

// features reports whether a size is that of the flat input of a layer: such
// an "input_size" counts features, not pixels.
func (v *view) features(x pyeval.Value) bool {
	if x.Origin == nil {
		return false
	}
	for _, c := range v.calls("Linear", "LSTM", "GRU", "RNN", "BatchNorm1d") {
		if !strings.HasPrefix(c.Name, "torch.nn.") {
			continue
		}
		for _, key := range []string{"in_features", "input_size"} {
			if in, ok := c.Arg(key, 0); ok && in.Kind == pyeval.Int && in.Int == x.Int && in.Origin == x.Origin {
				return true
			}
		}
	}
	return false
}
