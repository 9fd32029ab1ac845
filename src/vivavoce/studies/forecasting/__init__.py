"""Parts of the study of forecasts: questions, prompts, files, and the numbers of each tuple."""
