"""`viva certify`: does a candidate understand a scope?"""
