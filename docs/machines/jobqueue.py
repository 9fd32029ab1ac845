"""Workers as jobs of Slurm, and an examination that uses them: `python jobqueue.py`, on the machine that submits jobs.

It ends with the exit code of the examination, and its jobs end with it. Started again it asks what is missing.
"""

import subprocess
import sys

from dask_jobqueue import SLURMCluster

EXAMINATION = ["viva", "consistency", "chess", "uci:stockfish", "--positions", "games.pgn", "--limit", "400000"]
JOBS = 64


def main(examination: list[str], jobs: int) -> int:
    """Run the examination with so many jobs; returns its exit code."""
    job = {"cores": 1, "processes": 1, "memory": "2GB", "walltime": "02:00:00", "log_directory": "jobs"}
    with SLURMCluster(**job) as cluster:
        cluster.scale(jobs=jobs)
        cluster.wait_for_workers(1, timeout=3600)
        words = [*examination, "--cluster", cluster.scheduler_address, "--transcript", "run.sqlite"]
        return subprocess.run(words).returncode


if __name__ == "__main__":
    sys.exit(main(EXAMINATION, JOBS))
