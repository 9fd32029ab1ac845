"""The code of `vivavoce.inspect_tasks`: certificates as an Inspect task, and Inspect's tasks and logs as scopes."""
