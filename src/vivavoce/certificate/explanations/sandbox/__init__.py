"""Where a candidate's programs run and can do no harm.

`sandbox` runs them; `process` is a locked process seen from outside, `child` and `isolation` from inside.
"""
