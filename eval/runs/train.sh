#!/usr/bin/env bash
# train.sh WORK [NAME...]: records the training runs, one after another, on one thread each.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) work=$(cd "$1" && pwd)
shift
mkdir -p "$work/raw" "$work/truth" "$work/darknet"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
export PYTHONUNBUFFERED=1 PYTHONPATH="$here" KERAS_BACKEND=torch PATH="$work/bin:$PATH"

run() { # NAME "recorder flags" COMMAND...
  local name=$1 flags=$2
  shift 2
  [[ -n $only && " $only " != *" $name "* ]] && return
  [[ $flags == *--kill* ]] && echo "$name" >>"$work/raw/killed.txt"
  TRUTH="$work/truth/$name.jsonl" nice -n 10 timeout 120 python3 "$here/record.py" $flags "$work/raw/$name" -- "$@"
}
only="$*"
plain="$work/venv/bin/python" torch="$work/vtorch/bin/python"

for name in xgboost catboost sklearn_mlp sklearn_boosting gensim jax_absl spacy crfsuite german csv vw; do
  run $name "" "$plain" "$here/train/train_$name.py"
done
run tinygrad "--kill 60" "$plain" "$here/train/train_tinygrad.py"
run catboost_cut "--kill 8" "$plain" "$here/train/train_catboost.py"
run catboost_pty "--pty" "$plain" "$here/train/train_catboost.py"
run german_cut "--kill 9" "$plain" "$here/train/train_german.py"
run csv_cut "--kill 12" "$plain" "$here/train/train_csv.py"
run xgboost_cut "--kill 11" "$plain" "$here/train/train_xgboost.py"
run sklearn_mlp_cut "--kill 9" "$plain" "$here/train/train_sklearn_mlp.py"
run sklearn_boosting_cut "--kill 9" "$plain" "$here/train/train_sklearn_boosting.py"
run jax_absl_cut "--pty --kill 20" "$plain" "$here/train/train_jax_absl.py"
run spacy_bar "--pty --kill 28" "$plain" "$here/train/train_spacy.py" bar

for name in lightning ignite accelerate sb3 fastai skorch pyro tabnet; do
  run $name "" "$torch" "$here/train/train_$name.py"
done
run keras_v1 "" "$torch" "$here/train/train_keras.py" 1
run keras_v2 "" "$torch" "$here/train/train_keras.py" 2
run keras_v1_pty "--pty --kill 24" "$torch" "$here/train/train_keras.py" 1
run keras_v2_cut "--kill 22" "$torch" "$here/train/train_keras.py" 2
run lightning_pty "--pty --kill 26" "$torch" "$here/train/train_lightning.py"
run accelerate_pty "--pty --kill 18" "$torch" "$here/train/train_accelerate.py"
run fastai_pty "--pty --kill 22" "$torch" "$here/train/train_fastai.py"
run ignite_pty "--pty --kill 17" "$torch" "$here/train/train_ignite.py"
run skorch_cut "--kill 20" "$torch" "$here/train/train_skorch.py"
run tabnet_cut "--pty --kill 16" "$torch" "$here/train/train_tabnet.py"
run sb3_cut "--kill 20" "$torch" "$here/train/train_sb3.py"
run torchrun "" "$work/vtorch/bin/torchrun" --nproc_per_node 2 --tee 3 --master_port 29711 "$here/train/train_torchrun.py"

cc -O2 -march=native -o "$work/train_c" "$here/train/train_c.c" -lm && run c "" "$work/train_c"
NODE_PATH="$work/npm/node_modules" run brain "" node "$here/train/train_brain.js"
bash "$here/train/darknet_data.sh" "$work/darknet" "$plain" && cd "$work/darknet" &&
  run darknet "--kill 60" stdbuf -oL darknet classifier train shapes.data shapes.cfg
