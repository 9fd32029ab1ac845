"""`python -m vivavoce` is `viva`."""

from vivavoce.cli import main

if __name__ == "__main__":
    main()
