#!/usr/bin/env bash
# commands.sh WORK [NAME...]: records the commands that are no training. Needs install.sh first.
# SOURCES names a folder with git clones of zlib and cJSON (no network is used for them).
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) work=$(cd "$1" && pwd)
shift
only="$*" plain="$work/venv/bin/python" torch="$work/vtorch/bin/python"
sources=${SOURCES:?a folder with clones of zlib and cJSON}
mkdir -p "$work/raw" "$work/w" && cd "$work/w"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

run() { # NAME "recorder flags" "shell command"
  [[ -n $only && " $only " != *" $1 "* ]] && return
  nice -n 10 timeout 120 python3 "$here/record.py" $2 "$work/raw/n-$1" -- bash -c "$3"
}
module() { # a writable copy of a Go module, at $2
  [[ -d $2 ]] || { cp -r "$(cd "$(mktemp -d)" && go mod init copy >&2 && go mod download -json "$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" "$2" && chmod -R u+w "$2"; }
}
[[ -d zl ]] || git clone -q "$sources/zlib" zl
[[ -d cj ]] || git clone -q "$sources/cJSON" cj
[[ -f blob.bin ]] || { head -c 200000000 /dev/urandom >blob.bin; head -c 30000000 /dev/urandom >small.bin; }
module github.com/spf13/pflag@v1.0.9 pf
module github.com/spf13/cobra@v1.10.2 cb
module github.com/rogpeppe/go-internal@v1.16.0 gi

run pip-install-pty "--pty" "python3 -m venv --clear v2 && v2/bin/pip install catboost==1.2.10 scikit-learn==1.9.1 gensim==4.4.0 tqdm pandas"
run pip-install-verbose "" "python3 -m venv --clear v3 && v3/bin/pip install -v jax==0.7.2 optax==0.2.8 absl-py spacy==3.8.18 pytest"
run apt-install-pty "--pty" "DEBIAN_FRONTEND=noninteractive apt-get install -y --reinstall -o Dpkg::Progress-Fancy=1 sysbench rsync stress-ng sysstat"
run apt-install "" "DEBIAN_FRONTEND=noninteractive apt-get install -y --reinstall ffmpeg darknet"
run git-clone "--pty" "rm -rf zl2; git clone --progress file://$sources/zlib zl2; git -C zl2 fsck --progress; git -C zl2 gc --force"
run make-j "" "cd zl && ./configure && make -j2"
run cmake-ninja "" "cd cj && rm -rf b && cmake -G Ninja -S . -B b -DENABLE_CJSON_UTILS=On && ninja -C b && cd b && ctest -V"
run cmake-make "--pty" "cd cj && rm -rf b2 && cmake -S . -B b2 -DENABLE_CJSON_UTILS=On && make -C b2 && ctest --test-dir b2"
run dataset-prep "" "$plain $here/dataset_prep.py 2"
run dataset-prep-pty "--pty --kill 12" "$plain $here/dataset_prep.py 4"
run evaluation-only "" "$torch $here/evaluate.py"
run sqlite-load "" "python3 $here/load_db.py"

if [[ -z $only || $only =~ curl|wget|http ]]; then
  PYTHONUNBUFFERED=1 python3 "$here/record.py" --kill 90 "$work/raw/n-http-server" -- python3 -m http.server 18923 --bind 127.0.0.1 &
  server=$!
  sleep 1
  at=http://127.0.0.1:18923
  run curl-bar "--pty" "curl -o d1 --limit-rate 18M $at/blob.bin && curl -# -o d2 --limit-rate 12M $at/small.bin"
  run curl "" "curl -o d1 --limit-rate 25M $at/blob.bin"
  run wget "" "wget -O d3 --limit-rate=20m $at/small.bin"
  run wget-bar "--pty" "wget -O d3 --limit-rate=25m $at/blob.bin $at/small.bin"
  for i in $(seq 60); do curl -s -o /dev/null "$at/cj/tests/file$((i % 9)).c" -o /dev/null "$at/small.bin"; done
  kill "$server"
  wait "$server"
fi

run go-test "" "cd pf && go test -v ./..."
run go-test-2 "" "cd gi && go test -v ./par ./lockedfile ./txtar ./dirhash ./semver ./cache"
run go-build "" "cd cb && GOCACHE=$work/w/gocache go build -p 1 -v ./... && GOCACHE=$work/w/gocache go vet ./..."
run pytest-v "" "$plain -m pytest -v -p no:cacheprovider --pyargs joblib.test.test_hashing joblib.test.test_disk joblib.test.test_backports joblib.test.test_memory"
run pytest-dots "--pty" "$plain -m pytest --durations=5 -p no:cacheprovider --pyargs sklearn.linear_model.tests.test_ridge sklearn.metrics.tests.test_pairwise"
run rsync "--pty" "rm -rf rs; rsync -a --progress --bwlimit=15m cj/tests cj/cJSON.c cj/fuzzing small.bin rs/"
run rsync-info "" "rm -rf rs; rsync -a --info=progress2 --bwlimit=12m blob.bin zl rs/"
run tar-checkpoint "" "tar --checkpoint=400 --totals -czf t.tgz blob.bin zl cj; tar --checkpoint=100 --checkpoint-action=ttyout='%{%Y-%m-%d %H:%M:%S}t (%d sec): #%u, %T%*\\r' -xzf t.tgz -C rs"
run ffmpeg "" "ffmpeg -y -threads 1 -f lavfi -i testsrc=duration=40:size=640x360:rate=30 -f lavfi -i sine=duration=40 -c:v libx264 -preset medium out.mp4"
run vmstat "" "timeout 30 vmstat -t 1"
run iostat "" "timeout 20 iostat -xt 2"
run sysbench "" "sysbench cpu --time=25 --report-interval=1 --threads=1 run"
run stress-ng "" "stress-ng --cpu 1 --vm 1 --vm-bytes 64M --timeout 12 --metrics-brief --verbose"
run openssl-speed "" "openssl speed -seconds 1 sha256 aes-128-cbc rsa2048"
run dd "--pty" "dd if=/dev/urandom of=d4 bs=1M count=2500 status=progress; sha256sum d4; rm d4"
run du "" "du -h zl cj rs; find zl -type f -name '*.c' -printf '%TY-%Tm-%Td %TH:%TM %s %p\n'"
[[ -d cr ]] || (mkdir cr && cd cr && cargo init -q --name hello && cargo add -q regex serde_json clap)
run cargo-build "--pty" "cd cr && CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=80 cargo build -j1"
run cargo-build-v "" "cd cr && rm -rf target && CARGO_TERM_COLOR=never cargo build -j1 && cargo test"
mkdir -p nj mv
run npm-install "--pty" "cd nj && npm init -y && npm install --loglevel=http brain.js@1.6.1 express && npm ls --all"
run maven "--pty" "cd mv && mvn -Dmaven.repo.local=$work/w/m2 dependency:get -Dartifact=org.apache.opennlp:opennlp-tools:1.9.4"
