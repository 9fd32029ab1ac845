"""Certificates: does the candidate understand this scope, with error at most delta?

>>> import vivavoce as viva
>>> interview = viva.Interview(viva.open_candidate("bot:calculator?wrong=0.1"), answers=viva.Reply)
>>> criterion = viva.Criterion(0.7, unacceptable_limit=None)
>>> certificate = viva.run(viva.certify(interview, viva.open_scope("arithmetic"), criterion, seed=0))
>>> certificate.headline
'bot:calculator?wrong=0.1 passes arithmetic: 88% correct (shown: at least 70%), 70% required.'

Source: `leytonbrown2024`.
"""
