"""Luna rating prediction: from answers to the rating of whoever gave them (`silver2016`)."""
