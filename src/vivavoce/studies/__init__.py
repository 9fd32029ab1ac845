"""Paired studies: how a candidate behaves under a treatment, compared with a control on the same questions.

`study` is the generic part. Every other module declares a study, or makes or asks its questions.
"""
