"""Graders: who scores answers that no rule can score, a judge, people, or both.

`judge` asks another candidate for points by a rubric; `human` reads what people gave; `predicted` lets few grades by people
and many by the judge count together; `agreement` says how far two graders agree; `examine` is the examination.
"""
