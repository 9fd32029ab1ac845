"""`python -m vivavoce` is `viva`."""

import sys

from vivavoce.cli import main

if __name__ == "__main__":
    sys.exit(main())
