"""Which modules pytest looks into for examples."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/vivavoce/candidates/huggingface.py"]
