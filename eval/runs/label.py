#!/usr/bin/env python3
"""label.py RAW TRUTH OUT: turns recordings and the clocks' notes into labelled logs.

Steps, totals and values are the ones that the newest record prints. The step time
is the clock's: the median over the last max(20, 5 x log interval) steps up to that
record. Where the printed figure is another average of the same run and differs by
more than 12 %, `alt` accepts it too.
"""
import gzip, json, os, re, statistics, sys

RAW, TRUTH, OUT = sys.argv[1:4]
MAX = 58_000
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WORK = os.path.dirname(os.path.abspath(RAW)).encode()
HOST = os.uname().nodename.encode()
REDACT = [(re.escape(WORK) + rb"/(?:venv|vtorch)", b"/home/user/env"), (re.escape(WORK) + rb"/w\b", b"/home/user/work"), (re.escape(WORK), b"/home/user"),
          (re.escape(os.path.dirname(os.path.abspath(__file__)).encode()), b"/home/user"), (re.escape(os.path.expanduser("~").encode() + b"/"), b"/home/user/"),
          (rb"file:///\S+", b"file:///srv/git/zlib"), (rb"(?<![\w/])/(?:tmp|work|opt)/", b"/scratch/"),
          (rb"https?://[a-z0-9.-]+\.(?:org|com|net)\b", b"https://packages.example"), (rb"\b(?:[a-z0-9-]+\.)+org\b(?![./]\w)", b"packages.example"),
          (re.escape(os.uname().release.encode()), b"6.1.0-18-amd64"), (rb"(?<![\w.-])" + HOST + rb"(?=\)|')", b"node01"), (rb"Linux " + HOST + rb"\b", b"Linux node01")]


def segments(raw):
    """(start, end) of the text between line ends, without the empty ones."""
    out, at = [], 0
    for m in re.finditer(rb"\r\n|\r|\n", raw):
        out.append((at, m.start()))
        at = m.end()
    out.append((at, len(raw)))
    return [(a, b) for a, b in out if raw[a:b].strip()]


def number(text):
    return None if text is None else float(text.replace(",", ".")) if "." in text or "," in text or "e" in text.lower() else int(text)


def clock(text):
    """'00:07' or '1:02:03' in seconds."""
    total = 0
    for part in text.split(":"):
        total = total * 60 + int(part)
    return float(total)


TQDM = r"\s*(?P<pct>\d+)%\|[^|]*\| (?P<step>\d+)/(?P<total>\d+) \[(?P<el>[\d:]+)<(?P<left>[\d:?]+), +(?P<rate>[\d.]+)(?P<unit>it/s|s/it)"


def tqdm_time(g):
    return float(g["rate"]) if g["unit"] == "s/it" else 1 / float(g["rate"])


def elapsed_time(g):
    return clock(g["el"]) / int(g["step"]) if clock(g["el"]) else None


# name of the family -> how its records read
FORMATS = {
    "lightning": dict(format="lightning2-tqdm", framework="pytorch-lightning 2.6.6, TQDM bar", family="lightning", pattern=r"Epoch (?P<epoch>\d+):" + TQDM + r", train_loss=(?P<loss>[\d.]+)(?:, val_loss=(?P<v_val_loss>[\d.]+), val_acc=(?P<v_val_acc>[\d.]+))?",
                      scope="epoch", src="rate", printed=tqdm_time, global_of=50, epochs=3, first_epoch=0),
    "keras_v1": dict(kind="mean", format="keras3-bar", framework="Keras 3.15.1, verbose=1, torch backend", family="keras", pattern=r"(?P<step>\d+)/(?P<total>\d+) .*?(?P<ms>\d+)ms/step - accuracy: [\d.]+ - loss: (?P<loss>[\d.]+)(?: - val_accuracy: (?P<v_val_accuracy>[\d.]+) - val_loss: (?P<v_val_loss>[\d.]+))?",
                     scope="epoch", src="printed", printed=lambda g: int(g["ms"]) / 1000, global_of=40, epochs=4, header=r"^Epoch (?P<epoch>\d+)/(?P<total_epochs>\d+)", notes="the printed time and loss are means over the running epoch"),
    "keras_v2": dict(kind="single", format="keras3-v2", framework="Keras 3.15.1, verbose=2, torch backend", family="keras", pattern=r"^(?P<step>\d+)/(?P<total>\d+) - \d+s - (?P<ms>\d+)ms/step - accuracy: [\d.]+ - loss: (?P<loss>[\d.]+) - val_accuracy: (?P<v_val_accuracy>[\d.]+) - val_loss: (?P<v_val_loss>[\d.]+)",
                     scope="epoch", src="printed", printed=lambda g: int(g["ms"]) / 1000, global_of=10, epochs=16, header=r"^Epoch (?P<epoch>\d+)/(?P<total_epochs>\d+)", interval=10, notes="10/10 is always complete; the printed ms/step includes the evaluation"),
    "ignite": dict(ungraded=["step_time_s"], kind="mean", format="ignite-tqdm", framework="PyTorch-Ignite 0.5.5, its tqdm bar", family="ignite", pattern=r"Epoch \[(?P<epoch>\d+)/(?P<total_epochs>\d+)\]: \[(?P<step>\d+)/(?P<total>\d+)\].*?, loss=(?P<loss>[\d.]+) \[(?P<el>[\d:]+)<(?P<left>[\d:?]+)",
                   scope="epoch", src="elapsed", printed=elapsed_time, global_of=50, epochs=3, val=r"Epoch: \d+  Avg accuracy: (?P<accuracy>[\d.]+) Avg loss: (?P<loss>[\d.]+)", notes="no rate in the bar; elapsed counts from the first record; loss is a running average", tol=0.2),
    "accelerate": dict(format="accelerate-tqdm", framework="accelerate 1.15.0 script, tqdm bar", family="hf", pattern=TQDM + r", lr=(?P<lr>[\d.e-]+), step_loss=(?P<loss>[\d.]+)", src="rate", printed=tqdm_time,
                       val=r"epoch \d+: perplexity: (?P<perplexity>[\d.]+) eval_loss: (?P<eval_loss>[\d.]+)", notes="each step redraws the bar twice: the first still shows the values of the step before"),
    "sb3": dict(format="sb3-table", framework="Stable-Baselines3 2.9.2 PPO", family="rl", pattern=r"\|\s+total_timesteps\s+\|\s+(?P<step>\d+)", unit="env_step", src="none", ungraded=["step_time_s"], interval=256, per=256,
                also=dict(iterations=r"\|\s+iterations\s+\|\s+(\d+)", fps=r"\|\s+fps\s+\|\s+(\d+)", loss=r"\|\s+loss\s+\|\s+([\d.e+-]+)", lr=r"\|\s+learning_rate\s+\|\s+([\d.e+-]+)"),
                val_last=dict(ep_rew_mean=r"\|\s+ep_rew_mean\s+\|\s+([\d.]+)"), notes="a table per rollout of 256 environment steps; fps is the mean since the start; the clock is per rollout"),
    "fastai": dict(ungraded=["step_time_s"], kind="mean", format="fastai-console", framework="fastai 2.8.12, fastprogress console bar", family="fastai", pattern=r"Epoch (?P<epoch>\d+)/(?P<total_epochs>\d+) : \|[^|]*\| [\d.]+% \[(?P<step>\d+)/(?P<total>25) (?P<el>[\d:]+)<(?P<left>[\d:]+)(?:\.\.\. (?P<loss>[\d.]+))?\]",
                   scope="epoch", src="elapsed", printed=elapsed_time, global_of=25, epochs=8, row=r"^(?P<epoch>\d+) +(?P<train>[\d.]+) +(?P<valid_loss>[\d.]+) +(?P<accuracy>[\d.]+) +(?P<time>\d\d:\d\d)", other_loss=r"^\d+ +([\d.]+)", notes="the validation bar n/5 looks the same; a table row closes the epoch (0-based there, 1-based in the bar)", tol=0.25),
    "skorch": dict(kind="single", format="skorch-table", framework="skorch 1.4.0", family="skorch", pattern=r"^\s*(?P<epoch>\d+)\s+(?P<loss>[\d.]+)\s+(?P<v_valid_acc>[\d.]+)\s+(?P<v_valid_loss>[\d.]+)\s+(?P<dur>[\d.]+)\s*$", unit="epoch", epoch_src="printed", printed=lambda g: float(g["dur"]), notes="columns only from the header; best values coloured; dur is the epoch's seconds"),
    "pyro": dict(format="pyro-svi", framework="Pyro 1.9.2 SVI, tutorial print", family="pyro", pattern=r"\[iteration (?P<step>\d+)\] loss: (?P<loss>[\d.]+)", src="none", interval=10, notes="no clock in the text"),
    "tabnet": dict(kind="mean", format="tabnet", framework="pytorch-tabnet 4.1.0", family="tabnet", pattern=r"^epoch (?P<epoch>\d+) +\| loss: (?P<loss>[\d.]+) +\| val_0_auc: (?P<v_val_0_auc>[\d.]+) +\| +(?P<el>[\d:]+)s", unit="epoch", epoch_src="elapsed", printed=lambda g: clock(g["el"]) / (int(g["epoch"]) + 1), notes="elapsed in whole seconds"),
    "torchrun": dict(format="torchrun-tee", framework="torch 2.12.1 DDP script under torchrun --tee 3", family="torch", pattern=r"rank=0 it=(?P<step>\d+)/(?P<total>\d+) xent=(?P<loss>[\d.]+)", src="timestamps", dress="torchrun", notes="two ranks, each with its own loss; the launcher passes lines on in bursts of about 0.1 s"),
    "xgboost": dict(format="xgboost", framework="XGBoost 2.1.4", family="trees", pattern=r"^\[(?P<step>\d+)\]\ttrain-logloss:(?P<loss>[\d.]+)\ttrain-auc:[\d.]+\tvalid-logloss:(?P<v_valid_logloss>[\d.]+)\tvalid-auc:(?P<v_valid_auc>[\d.]+)", src="none", alt_plus_one=True, notes="rounds are 0-based; no clock in the text"),
    "catboost": dict(kind="mean", format="catboost", framework="CatBoost 1.2.10", family="trees", pattern=r"^(?P<step>\d+):\tlearn: (?P<loss>[\d.]+)\ttest: (?P<v_test>[\d.]+)\tbest: [\d.]+ \(\d+\)\ttotal: (?P<t>[\d.]+)(?P<tu>us|ms|s|m)\tremaining: (?P<r>[\d.]+)(?P<ru>us|ms|s|m)",
                     src="elapsed", interval=5, alt_plus_one=True, printed=lambda g: float(g["t"]) * dict(us=1e-6, ms=1e-3, s=1, m=60)[g["tu"]] / (int(g["step"]) + 1), eta=lambda g: float(g["r"]) * dict(us=1e-6, ms=1e-3, s=1, m=60)[g["ru"]], notes="iterations are 0-based; total: is the elapsed time; the last record is off the interval of 5"),
    "sklearn_mlp": dict(format="sklearn-mlp", framework="scikit-learn 1.9.1 MLPClassifier", family="sklearn", pattern=r"^Iteration (?P<step>\d+), loss = (?P<loss>[\d.]+)", src="none", notes="an iteration is a pass over the data; no clock in the text"),
    "sklearn_boosting": dict(format="sklearn-boosting", framework="scikit-learn 1.9.1 GradientBoostingClassifier", family="sklearn", pattern=r"^\s+(?P<step>\d+)\s+(?P<loss>[\d.]+)\s+-?[\d.]+\s+(?P<left>[\d.]+)(?P<lu>[ms])\s*$", src="none", eta=lambda g: float(g["left"]) * (60 if g["lu"] == "m" else 1), notes="columns only from the header; the remaining time falls by one step time per row"),
    "gensim": dict(kind="single", format="gensim-word2vec", framework="gensim 4.4.0 Word2Vec", family="gensim", pattern=r"EPOCH (?P<epoch>\d+): training on \d+ raw words .*took (?P<took>[\d.]+)s, (?P<tput>\d+) effective words/s", unit="epoch", epoch_src="timestamps", printed=lambda g: float(g["took"]), tput="words/s", notes="epochs are 0-based; took is rounded to 0.1 s, stamps have milliseconds"),
    "jax_absl": dict(format="jax-absl", framework="JAX 0.7.2, optax 0.2.8, absl logging", family="jax", pattern=r"^I\d+ [\d:.]+ +\d+ \S+\] step: (?P<step>\d+), loss: (?P<loss>[\d.]+), lr: (?P<lr>[\d.e-]+)", src="timestamps", interval=5, notes="glog stamps with microseconds"),
    "spacy": dict(format="spacy-train", framework="spaCy 3.8.18 train", family="spacy", pattern=r"^\s+(?P<epoch>\d+)\s+(?P<step>\d+)\s+[\d.]+\s+(?P<loss>[\d.]+)\s+(?P<v_tag_acc>[\d.]+)\s+[\d.]+\s+(?P<v_score>[\d.]+)", src="none", interval=20, other_loss=r"^\s+\d+\s+\d+\s+([\d.]+)", notes="columns only from the header (# is the step); no clock in the text; each row follows an evaluation"),
    "spacy_bar": dict(format="spacy-train-bar", framework="spaCy 3.8.18 train, progress bar", family="spacy", pattern=r"Epoch (?P<epoch>\d+):" + TQDM, scope="epoch", src="rate", printed=tqdm_time, window=20, row=r"^\s+\d+\s+(?P<n>\d+)\s+[\d.]+\s+[\d.]+\s+(?P<tag_acc>[\d.]+)", notes="the bar counts the steps to the next evaluation, a table row gives the step"),
    "tinygrad": dict(kind="mean", format="tinygrad-trange", framework="tinygrad 0.14.0, its own bar", family="tinygrad", pattern=r"loss: +(?P<loss>[\d.]+):" + TQDM, src="rate", tol=0.2, printed=tqdm_time, notes="the rate is the mean since the start, two slow compiling steps included"),
    "crfsuite": dict(format="crfsuite-lbfgs", framework="CRFsuite by python-crfsuite 0.9.12", family="crfsuite", pattern=r"^\*\*\*\*\* Iteration #(?P<step>\d+) \*\*\*\*\*", src="printed", also=dict(loss=r"^Loss: ([\d.]+)", seconds=r"^Seconds required for this iteration: ([\d.]+)"), notes="a block of lines per iteration"),
    "german": dict(kind="single", format="own-german", framework="own numpy loop, German words", family="own", pattern=r"^Runde (?P<step>\d+) von (?P<total>\d+) +Verlust (?P<loss>[\d,]+) .*Dauer je Runde (?P<dur>[\d,]+) s", src="printed", interval=3, printed=lambda g: number(g["dur"]), notes="decimal commas"),
    "csv": dict(ungraded=["loss"], format="own-csv", framework="own numpy loop, CSV rows", family="own", pattern=r"^(?P<el>[\d.]+),\w+,(?P<step>\d+),(?P<loss>[\d.]+),[\d.e+]+,\d+$", src="elapsed", notes="header names the columns; the step is the third; seconds since the start come first; steps are 0-based"),
    "vw": dict(format="vowpal-wabbit", framework="Vowpal Wabbit 9.11", family="vw", pattern=r"^(?P<loss>[\d.]+) +[\d.]+ +(?P<step>\d+) +[\d.]+ +-?[\d.]+ +-?[\d.]+ +\d+", unit="sample", src="none", interval=2000, every=100, notes="counts examples; columns only from a two-line header; no clock in the text"),
    "c": dict(kind="single", format="own-c", framework="own C loop in the style of small C trainers", family="own", pattern=r"^step (?P<step>\d+)/(?P<total>\d+): train loss (?P<loss>[\d.]+) norm [\d.]+ \(took (?P<ms>[\d.]+) ms, (?P<tput>\d+) ex/s\)", src="printed", printed=lambda g: float(g["ms"]) / 1000, tput="examples/s", val=r"^val loss (?P<val_loss>[\d.]+)", notes="step 0 of 120 to step 120 of 120"),
    "brain": dict(ungraded=["loss"], format="brainjs", framework="brain.js 1.6.1 on Node.js 20", family="js", pattern=r"^iterations: (?P<step>\d+), training error: (?P<loss>[\d.]+)", src="none", interval=10, notes="no clock in the text"),
    "darknet": dict(kind="single", format="darknet-classifier", framework="darknet (Debian 0.0.0+git20180914)", family="darknet", pattern=r"^(?P<step>\d+), (?P<frac>[\d.]+): (?P<loss>[\d.]+), [\d.]+ avg, (?P<lr>[\d.]+) rate, (?P<secs>[\d.]+) seconds, (?P<imgs>\d+) images", src="printed", printed=lambda g: float(g["secs"]), truth="arrival", other_loss=r", ([\d.]+) avg", notes="no clock inside: truth is the arrival of the lines (stdbuf -oL); `Loaded:` lines in between; the second number counts epochs"),
}
VARIANT = re.compile(r"_(pty|cut)$")


def key(name):
    return VARIANT.sub("", name) if VARIANT.sub("", name) in FORMATS else name


def truth_rows(name):
    path = f"{TRUTH}/{name}.jsonl"
    return [r for r in map(json.loads, open(path)) if "step" in r] if os.path.exists(path) else []


def blank(**more):
    y = dict.fromkeys(["file", "format", "framework", "family", "trackable", "latest_step", "total_steps", "step_unit", "step_scope", "epoch", "total_epochs", "step_time_s", "step_time_src", "epoch_time_s", "step_time_tol", "step_time_arrival_s",
                       "throughput", "throughput_unit", "throughput_src", "loss", "lr", "eta_s", "progress"])
    y |= dict(val_metrics={}, val_curve={}, alt=[], ungraded=[], log_interval=None, dress=None, noise_ratio=None, resumed=False, partial_last_line=False, notes="")
    return y | more


def close(a, b):
    return a is not None and b is not None and abs(a / b - 1) <= 0.12


def accepted(f, printed):
    """Printed figures that are a fair answer: the last of a running mean, the median of single
    values, both of a smoothed rate."""
    kind = f.get("kind", "rate")
    return [v for k, v in printed.items() if kind == "rate" or k == dict(mean="last", single="median")[kind]]


def training(name, raw, segs, times):
    f = FORMATS[key(name)]
    texts = [ANSI.sub("", raw[a:b].decode("utf-8", "replace")) for a, b in segs]
    records, epoch, epochs, last = [], None, None, {}
    for i, t in enumerate(texts):
        if f.get("header") and (m := re.search(f["header"], t)):
            epoch, epochs = int(m["epoch"]), int(m["total_epochs"])
        for k, p in f.get("also", {}).items():
            if m := re.search(p, t):
                last[k] = m[1]
        for m in re.finditer(f["pattern"], t):
            g = m.groupdict()
            g.setdefault("epoch", str(epoch) if epoch is not None else None)
            g.setdefault("total_epochs", str(epochs) if epochs else None)
            g["i"] = i
            records.append(g)
    g = records[-1]
    unit = f.get("unit", "step")
    n = int(g["epoch"] if unit == "epoch" else g["step"])
    rows = truth_rows(name)
    interval = f.get("interval", 1)
    if f.get("truth") == "arrival":
        rows = [dict(step=int(r["step"]), s=None if k == 0 else (times[r["i"]] - times[records[k - 1]["i"]])) for k, r in enumerate(records)]
    # the row of the clock that the newest record speaks of
    e = int(g["epoch"]) if g.get("epoch") is not None and rows and "epoch" in rows[0] else None
    shift = -1 if key(name) == "fastai" else 0  # the bar counts epochs from 1, the clock from 0
    if f.get("window"):
        base = max([int(m["n"]) for t in texts if (m := re.search(f["row"], t))])
        want = [k for k, r in enumerate(rows) if r["step"] <= base + n]
    elif e is not None and unit != "epoch":
        want = [k for k, r in enumerate(rows) if r["step"] == n and r["epoch"] == e + shift]
    else:
        want = [k for k, r in enumerate(rows) if r["step"] <= n]
    at = want[-1]
    window = max(20, 5 * interval) if unit != "env_step" else 20
    if f.get("every"):
        window = 5 * interval // f["every"]
    took = [r["s"] for r in rows[max(0, at - window + 1):at + 1] if r.get("s")]
    step_time = statistics.median(took) / f.get("per", 1) / f.get("every", 1)
    y = blank(format=f["format"], framework=f["framework"], family=f["family"], trackable=True, step_unit=unit, log_interval=interval, dress=f.get("dress"),
              step_time_tol=f.get("tol", 0.15), measured_steps=rows[-1]["step"] if not e else len(rows), measured_step_time_s=round(step_time, 6))
    printed = {}
    if f.get("printed"):
        values = [v for r in records[-20:] if (v := f["printed"](r))]
        printed = dict(last=round(f["printed"](g) or 0, 6) or None, median=round(statistics.median(values), 6) if values else None)
    if key(name) == "crfsuite":
        printed = dict(last=float(last["seconds"]))
    src = f.get("src", "none")
    notes = [f.get("notes", "")]
    y["loss"] = number(g.get("loss") or last.get("loss"))
    y["lr"] = number(g.get("lr") or last.get("lr"))
    y["val_metrics"] = {k[2:]: number(v) for k, v in g.items() if k.startswith("v_") and v is not None}
    if not y["val_metrics"]:
        y["val_metrics"] = next(({k[2:]: number(v) for k, v in r.items() if k.startswith("v_")} for r in reversed(records) if any(k.startswith("v_") and v for k, v in r.items())), {})
    for t in texts:
        if f.get("val") and (m := re.search(f["val"], t)):
            y["val_metrics"] = {k: number(v) for k, v in m.groupdict().items()}
        for k, p in f.get("val_last", {}).items():
            if m := re.search(p, t):
                y["val_metrics"] = {k: number(m[1])}
        if f.get("row") and (m := re.search(f["row"], t)):
            y["val_metrics"] = {k: number(m[k]) for k in ("valid_loss", "accuracy", "tag_acc") if k in m.groupdict()}
    if g.get("left") and ":" in g["left"]:
        y["eta_s"] = clock(g["left"])
    elif f.get("eta"):
        y["eta_s"] = f["eta"](g)
    if g.get("epoch") is not None:
        y["epoch"], y["total_epochs"] = int(g["epoch"]), int(g["total_epochs"]) if g.get("total_epochs") else None
    if unit == "epoch":
        y |= dict(epoch_time_s=round(step_time, 6), step_time_src="none", epoch_time_src=f["epoch_src"], step_scope=None)
        y["alt"].append(dict(latest_step=n, step_time_s=round(step_time, 6)))
        if int(records[0]["epoch"]) == 0:
            y["alt"].append(dict(latest_step=n + 1, step_time_s=round(step_time, 6), why="0-based epochs"))
        for v in accepted(f, printed):
            if v and not close(v, step_time):
                y["alt"].append(dict(latest_step=n, step_time_s=v, why="printed"))
    else:
        total = int(g["total"]) if g.get("total") else None
        y |= dict(latest_step=n, total_steps=total, step_scope=f.get("scope", "global"), step_time_src=src, step_time_arrival_s=round(step_time, 6))
        y["step_time_s"] = None if src == "none" else round(step_time, 6)
        y["ungraded"] = list(f.get("ungraded", []))
        if f.get("global_of"):
            done = (y["epoch"] - f.get("first_epoch", 1)) * f["global_of"] + n
            y["alt"].append(dict(latest_step=done, total_steps=f["global_of"] * f["epochs"], why="global equivalent"))
            y["progress"] = round(done / (f["global_of"] * f["epochs"]), 6)
            if not y["total_epochs"]:
                y["alt"].append(dict(latest_step=done, total_steps=None, why="global equivalent"))
        elif f.get("window"):
            y["alt"].append(dict(latest_step=base + n, total_steps=None, why="the table's step plus the bar"))
            y["alt"].append(dict(latest_step=base, total_steps=None, why="the table's step"))
        elif total:
            y["progress"] = round(n / total, 6)
        if f.get("other_loss") and (other := [m[1] for t in texts if (m := re.search(f["other_loss"], t))]):
            y["alt"].append(dict(latest_step=n, total_steps=total, loss=number(other[-1]), why="another printed loss"))
        if key(name) == "fastai" and (closed := [int(m["epoch"]) for t in texts if (m := re.search(f["row"], t))]):
            y["alt"].append(dict(latest_step=closed[-1], total_steps=None, why="the table's epoch"))
        if f.get("alt_plus_one"):
            y["alt"].append(dict(latest_step=n + 1, total_steps=None, why="0-based"))
        if key(name) == "sb3":
            y["alt"].append(dict(latest_step=int(last["iterations"]), total_steps=None, why="iterations"))
            y |= dict(throughput=float(last["fps"]), throughput_unit="env_steps/s", throughput_src="printed")
        for v in accepted(f, printed):
            if v and src != "none" and not close(v, step_time) and v not in [a.get("step_time_s") for a in y["alt"]]:
                y["alt"].append(dict(latest_step=n, total_steps=total, step_time_s=v, why="printed"))
                y["clock_text_disagree"] = True
        if key(name) == "sklearn_boosting":
            y["alt"].append(dict(latest_step=n, step_time_s=round(step_time, 6), why="from the falling remaining time"))
        if key(name) == "torchrun":
            other = [m["l"] for t in texts if (m := re.search(r"rank=1 it=\d+/\d+ xent=(?P<l>[\d.]+)", t))]
            y["alt"].append(dict(latest_step=n, total_steps=total, loss=number(other[-1]), why="the other rank"))
    if f.get("tput"):
        y |= dict(throughput=statistics.median(float(r["tput"]) for r in records[-20:]), throughput_unit=f["tput"], throughput_src="printed")
        if y["throughput"] and f["tput"] == "examples/s":
            y["throughput_unit"] = "samples/s"
    elif y["throughput"] is None and y["step_time_s"]:
        y |= dict(throughput=round(1 / step_time, 6), throughput_unit="it/s", throughput_src="step_rate")
    # what the arrival of whole records gives: its spacing per step (evaluation pauses are inside it)
    per = []
    first = {}
    for r in records:  # a step may be drawn twice: its first arrival counts
        first.setdefault((r.get("epoch"), r.get("step")), r)
    tail = list(first.values())[-21:]
    for p, q in zip(tail, tail[1:]):
        a, b = (int(p["epoch"]), int(q["epoch"])) if unit == "epoch" else (int(p["step"]), int(q["step"]))
        if b > a:
            per.append((times[q["i"]] - times[p["i"]]) / (b - a))
    y["arrival_spacing_s"] = round(statistics.median(per), 6) if per else None
    if printed:
        y["printed_step_time_s"] = printed
    if "_pty" in name or name == "spacy_bar":
        notes.append("pty")
    cut = name in KILLED
    if cut:
        notes.append("cut in the middle of the run")
    y["partial_last_line"] = cut and not raw.endswith(b"\n")
    y["notes"] = "; ".join(filter(None, notes))
    return y


KILLED = set(open(f"{RAW}/killed.txt").read().split()) if os.path.exists(f"{RAW}/killed.txt") else set()
NOTES = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "commands.json")))
os.makedirs(f"{OUT}/logs", exist_ok=True)
os.makedirs(f"{OUT}/segments", exist_ok=True)
labels = []
for log in sorted(os.listdir(RAW)):
    if not log.endswith(".log"):
        continue
    name = log[:-4]
    train = key(name) in FORMATS
    short = name.removeprefix("n-")
    if not train and short not in NOTES:
        print("left out:", name)
        continue
    raw = open(f"{RAW}/{log}", "rb").read()
    if not train and len(raw) > MAX:
        raw = raw[:raw.rindex(b"\n", 0, MAX) + 1]
    marks = [(int(a), float(b)) for a, b in (l.split() for l in open(f"{RAW}/{name}.arr"))]
    segs, times, k = segments(raw), [], 0
    for a, b in segs:
        while marks[k][0] < b:
            k += 1
        times.append(marks[k][1])
    if train:
        y = training(name, raw, segs, times)
    else:
        y = blank(format="untrackable:" + short, framework="none", family="untrackable", trackable=False, step_time_src="none", notes=NOTES[short])
    data = raw
    for pattern, new in REDACT:
        data = re.sub(pattern, new, data)
    assert len(segments(data)) == len(segs), name
    y |= dict(file=f"logs/{name}.log", lines=data.count(b"\n"), segments=len(segs), segments_file=f"segments/{name}.seg.gz")
    open(f"{OUT}/logs/{name}.log", "wb").write(data)
    gaps = [round(1000 * (t - s)) for s, t in zip([times[0]] + times, times)]
    with gzip.GzipFile(f"{OUT}/segments/{name}.seg.gz", "wb", mtime=0) as z:
        z.write("".join(f"X{d}\n" for d in gaps).encode())
    labels.append(y)
with open(f"{OUT}/labels.jsonl", "w") as out:
    out.writelines(json.dumps(y) + "\n" for y in labels)
open(f"{OUT}/slowdown.jsonl", "w").close()
print(sum(y["trackable"] for y in labels), "training logs,", sum(not y["trackable"] for y in labels), "others")
