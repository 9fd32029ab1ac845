"""What stands behind `vivavoce.inspect_tasks`: rooms as Inspect's tasks, and transcripts as logs for its viewer."""
