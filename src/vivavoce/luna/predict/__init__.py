"""Luna rating prediction: from answers to the rating of the person who gave them (`silver2016`)."""
