"""Graders: who scores answers that no rule can score, a judge, people, or both.

`judge` asks another candidate for points by a rubric; `people` reads the grades that people gave; `judge_predictions` lets few
grades by people and many by the judge count together; `grades` says how far two graders agree; `graders` leads the examination.
"""
