"""Where a candidate's programs run and can do no harm.

`sandbox` starts a locked process for them; `child` and `isolation` are what happens inside of it.
"""
