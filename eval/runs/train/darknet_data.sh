# darknet_data.sh FOLDER VENV_PYTHON: images, lists and a small network for darknet's classifier
mkdir -p "$1/img" "$1/backup" && cd "$1"
"$2" - <<'PY'
import numpy as np
from PIL import Image
r = np.random.default_rng(0)
for i in range(120):
    c = "kreis" if i % 2 else "quadrat"
    a = r.integers(0, 90, (64, 64, 3), dtype="uint8")
    y, x = np.mgrid[:64, :64]
    a[((x - 32) ** 2 + (y - 32) ** 2 < 400) if i % 2 else ((abs(x - 32) < 18) & (abs(y - 32) < 18))] += 120
    Image.fromarray(a).save(f"img/{i}_{c}.png")
PY
ls "$PWD"/img/*.png > train.list
printf 'kreis\nquadrat\n' > labels.txt
printf 'classes=2\ntrain=train.list\nvalid=train.list\nlabels=labels.txt\nbackup=backup/\ntop=1\n' > shapes.data
printf '[net]\nbatch=32\nsubdivisions=1\nheight=64\nwidth=64\nchannels=3\nmax_crop=72\nlearning_rate=0.01\npolicy=poly\npower=4\nmax_batches=110\nmomentum=0.9\ndecay=0.0005\n' > shapes.cfg
for f in 16 32 48; do printf '[convolutional]\nbatch_normalize=1\nfilters=%s\nsize=3\nstride=1\npad=1\nactivation=leaky\n[maxpool]\nsize=2\nstride=2\n' $f; done >> shapes.cfg
printf '[convolutional]\nfilters=2\nsize=1\nstride=1\npad=1\nactivation=leaky\n[avgpool]\n[softmax]\ngroups=1\n' >> shapes.cfg
