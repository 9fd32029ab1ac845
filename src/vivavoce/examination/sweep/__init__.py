"""A sweep: many candidates in many scopes and rooms, by one plan, within one budget and over one transcript."""
