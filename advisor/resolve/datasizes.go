package resolve

import (
	"path"
	"regexp"
	"slices"
	"strconv"
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

// squareOf finds the side of square pictures in a name: "ffhq-256x256.zip".
var squareOf = regexp.MustCompile(`(?:^|[^0-9])(\d{2,4})x(\d{2,4})(?:[^0-9]|$)`)

// sizeInDataName is the size that the place of the training data is named after:
// pictures that were brought to one size are kept under it.
func (v *view) sizeInDataName() {
	domain, _ := v.md.Text(workload.Domain)
	if v.has(workload.ImageSize) || domain != "cv" && domain != "multimodal" {
		return
	}
	for _, key := range []string{"data", "data_dir", "data_path", "data_root", "train_data", "train_dir", "dataset", "dataset_dir", "dataset_path", "path"} {
		for _, n := range v.all(key) {
			if !n.config || n.doubt || !isText(n.value) || n.value.Origin == nil {
				continue
			}
			found := squareOf.FindStringSubmatch(path.Base(strings.TrimRight(n.value.Text, "/")))
			if found == nil || found[1] != found[2] {
				continue
			}
			if side, err := strconv.Atoi(found[1]); err == nil && side >= 16 && side <= 4096 {
				v.set(workload.ImageSize, float64(side), n.value.Origin)
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
