"""Measures your own models on pairs of questions, as in section 5 of `vafa2024`."""
