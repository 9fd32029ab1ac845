#!/bin/bash
# On the machine from which jobs are submitted, in a folder that all machines share:  bash slurm.sh
# Stopped anywhere and started again it goes on; only what has no answer yet is asked.
set -euo pipefail
source examination.sh

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    mkdir -p shards
    [ -e run.sqlite ] || viva certify "${examination[@]}" --transcript run.sqlite --prepare
    sbatch --wait --array="0-$((shards - 1))" --job-name=viva --cpus-per-task=1 --mem=2G --time=02:00:00 \
        --requeue --output=shards/%a.log slurm.sh
    viva transcript merge run.sqlite shards/*.sqlite
    viva certify "${examination[@]}" --transcript run.sqlite --html page.html
else # this is one of the array's tasks
    viva certify "${examination[@]}" --transcript "shards/$SLURM_ARRAY_TASK_ID.sqlite" \
        --prepared run.sqlite --shard "auto/$shards" --quiet
fi
