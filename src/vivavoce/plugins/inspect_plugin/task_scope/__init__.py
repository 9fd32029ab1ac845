"""Any task of Inspect as a scope: dataset, solver and scorer are the task's; samples run as they are drawn, one log a model."""
