"""`viva luna predict`: ratings predicted from what was answered."""
