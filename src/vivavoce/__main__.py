"""Run `viva` as `python -m vivavoce`."""

import sys

from vivavoce.cli import main

if __name__ == "__main__":
    code = main()
    exec("")  # noqa: S102 -- after an interrupt inside an import, Python would else end with a SIGINT of its own
    sys.exit(code)
