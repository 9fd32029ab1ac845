"""What people believe once they have seen several answers, from what they believe after each one alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.generalization.beliefs import Floats


def after_several(prior: ArrayLike, after_each: ArrayLike) -> Floats:
    """Belief after several observed answers, by Bayes' rule in odds.

    Each answer multiplies the odds by posterior odds / prior odds of that answer alone. This holds where the answers are
    independent of one another given whether the question in mind is answered right; answers that resemble each other are
    counted too much. `vafa2024` names the rule in its conclusion and leaves untested whether people keep to it;
    `bayes_fit` tests that.

    Parameters
    ----------
    prior: beliefs before anything was seen, shape (n,) or one number; strictly between 0 and 1.
    after_each: beliefs after each answer alone, shape (n, answers), strictly between 0 and 1.

    Returns beliefs of shape (n,).

    >>> after_several(0.5, [[0.8, 0.8]]).round(4).tolist()  # odds 4 x 4 = 16
    [0.9412]
    >>> after_several(0.6, [[0.6, 0.3]]).round(4).tolist()  # the first answer told nothing
    [0.3]
    """
    each = np.asarray(after_each, dtype=float)
    if each.ndim != 2:
        raise BadInput(f"beliefs after each answer have {each.ndim} axes; they have two: questions and answers")
    before = np.broadcast_to(np.asarray(prior, dtype=float), each.shape[:1])
    for name, values in (("prior", before), ("after an answer", each)):
        outside = values[~((values > 0) & (values < 1))]
        if outside.size:
            raise BadInput(f"the belief {name} is {outside.flat[0]}: odds need it strictly between 0 and 1")
    start = np.log(before / (1 - before))
    odds = start + (np.log(each / (1 - each)) - start[:, None]).sum(axis=1)
    return np.asarray(1 / (1 + np.exp(-odds)), dtype=float)
