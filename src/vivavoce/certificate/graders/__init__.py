"""Graders for answers that no rule can score: a judge, people, or both.

`judge` asks another candidate for points by a rubric, and combines few grades by people with many of its own; `people` reads
grades that people gave; `grades` measures the agreement of two graders; `calibration` measures that of a judge
with people before it grades; `graders` runs the examination.
"""
