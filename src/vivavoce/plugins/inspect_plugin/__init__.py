"""The code of `vivavoce.inspect_tasks`: rooms as Inspect tasks, and transcripts as logs for its viewer."""
