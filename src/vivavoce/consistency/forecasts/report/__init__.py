"""What forecasts measured against laws report: tables, comparisons, histograms, the worst tuples, and the method."""
