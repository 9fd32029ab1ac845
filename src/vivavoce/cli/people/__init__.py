"""`viva people`: commands on people's expectations of models."""
