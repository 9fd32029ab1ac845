"""Models compared with what people expect of them: do beliefs fit, and is a model used where it is right?"""
