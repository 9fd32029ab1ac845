"""The code of `vivavoce.inspect_tasks`: tests as Inspect tasks, and transcripts as Inspect logs."""
