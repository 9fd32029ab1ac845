"""Studies: what a candidate does under a treatment, compared with a control on the same questions.

`study` is the generic part; every other module declares one study or makes what it asks.
"""
