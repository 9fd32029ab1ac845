"""A sweep: many candidates on many scopes and examinations, by one plan, within one budget, over one transcript."""
