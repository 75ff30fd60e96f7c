"""spaCy's own train command (a tagger on made-up sentences)."""
import os, random, sys, tempfile
import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from truth import Truth

random.seed(6)
folder = tempfile.mkdtemp()
blank = spacy.blank("en")


def corpus(n, name):
    box = DocBin()
    for _ in range(n):
        words = [random.choice("acegmopr") + str(random.randrange(400)) for _ in range(30)]
        tags = ["NOUN" if w[0] in "aceg" else "VERB" if int(w[1:]) % 2 else "ADJ" for w in words]
        box.add(Doc(blank.vocab, words=words, tags=tags))
    box.to_disk(f"{folder}/{name}.spacy")


corpus(800, "train"), corpus(60, "dev")
config = init_config(lang="en", pipeline=["tagger"], optimize="efficiency", silent=True)
config.to_disk(f"{folder}/config.cfg")
truth, plain = Truth(), Language.update
count = 0


def clocked(self, *args, **kwargs):
    global count
    out = plain(self, *args, **kwargs)
    truth.step(count)
    count += 1
    return out


Language.update = clocked
os.chdir(folder)
train("config.cfg", "model", overrides={"paths.train": "train.spacy", "paths.dev": "dev.spacy", "training.eval_frequency": 20,
      "training.max_steps": 180, "training.batcher.size": 700, "training.patience": 0, "training.logger.progress_bar": len(sys.argv) > 1})
