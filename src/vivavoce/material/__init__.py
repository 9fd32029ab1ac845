"""Questions and data that ship with the package. `material:NAME` names a file of this folder in commands and plans.

All of it is in the public domain (CC0). `docs/material.md` says how each file was made and
checked, and what it is not fit for.
"""
