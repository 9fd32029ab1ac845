"""How well a predictor of belief changes predicts them."""
