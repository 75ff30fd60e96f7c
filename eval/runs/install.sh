#!/usr/bin/env bash
# install.sh WORK: two Python environments, Debian packages and one npm package, versions pinned.
set -euo pipefail
work=$(mkdir -p "$1" && cd "$1" && pwd)
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q xgboost==2.1.4 catboost==1.2.10 scikit-learn==1.9.1 gensim==4.4.0 tinygrad==0.14.0 python-crfsuite==0.9.12 \
  jax==0.7.2 optax==0.2.8 absl-py==2.5.1 spacy==3.8.18 vowpalwabbit==9.11.9 numpy==2.4.6 tqdm==4.70.1 pillow==13.0.0 joblib==1.6.0 pytest==9.2.0
python3 -m venv "$work/vtorch"
"$work/vtorch/bin/pip" install -q torch==2.12.1 pytorch-lightning==2.6.6 keras==3.15.1 pytorch-ignite==0.5.5 accelerate==1.15.0 \
  stable-baselines3==2.9.2 gymnasium==1.4.0 fastai==2.8.12 fastprogress==1.1.6 skorch==1.4.0 pyro-ppl==1.9.2 pytorch-tabnet==4.1.0 numpy==2.4.6 tqdm==4.70.1
apt-get install -y --no-install-recommends clang-14 darknet sysbench rsync stress-ng sysstat ffmpeg
mkdir -p "$work/npm" "$work/bin" && cd "$work/npm" && npm install --silent brain.js@1.6.1
ln -sf /usr/bin/clang-14 "$work/bin/clang"
