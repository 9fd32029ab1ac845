"""Runs a candidate's programs in a sandbox.

`sandbox` starts a locked process for them; `child` and `isolation` run inside it.
"""
