#!/bin/sh
set -eu
# Eight shards, two processes at a time. xargs fails when one of them does.
seq 8 | xargs -P 2 -I '{}' sh -euc '
  schedmate simulate --experiment philly-week,chronus-small --seeds 1,2 \
    --shard {}/8 --parallel 1 --progress none \
    --jobs-out jobs-{}.csv -o json > shard-{}.json'
