package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/workload"
)

// sizeOfData is the size that a data set of the repository is made with: what
// the program says beats what is usual for its model.
func (v *view) sizeOfData() {
	for _, c := range v.obs.Calls {
		o := c.Self.Object()
		if c.Doubt || o == nil || !strings.HasPrefix(c.Name, "repo:") || lastPart(c.Name) != o.Class.Name {
			continue
		}
		if !slices.ContainsFunc(o.Class.Bases(), func(b string) bool { return strings.HasSuffix(b, "Dataset") }) {
			continue
		}
		for _, key := range []string{"input_size", "image_size", "img_size", "imgsz", "crop_size", "resolution"} {
			x, ok := c.Arg(key, -1)
			if items, _ := x.Items(); len(items) > 0 {
				x = items[0]
			}
			if n, isNumber := x.Number(); ok && isNumber && n >= 8 && n <= 4096 {
				v.set(workload.ImageSize, n, or(x.Origin, c.Site))
				return
			}
		}
	}
}

// convolutional are families whose width grows from stage to stage: a number
// in the code is that of a stage, an axis or a part, and none of the whole.
var convolutional = []string{
	"alexnet", "autoencoder", "cnn", "convnext", "darknet", "densenet", "dla", "dpn", "efficientnet", "ghostnet", "inception", "mnasnet",
	"mobilenet", "nfnet", "regnet", "res2net", "resnest", "resnet", "resnext", "senet", "shufflenet", "squeezenet", "vae", "vgg", "vqgan", "xception",
}

// ofStages reports whether the model is of such a family.
func (v *view) ofStages() bool {
	family, _ := v.md.Text(workload.ModelFamily)
	return slices.Contains(convolutional, strings.ToLower(family))
}

// partNames are names that a helper has for an axis or for a part as often as
// a model has for the whole.
var partNames = []string{"dim", "depth", "width", "layers", "num_features", "num_blocks", "n_blocks", "emb_dim", "embed_dim", "batch"}
