"""Other programs' ways in: Inspect's tasks and logs, and a server of the Model Context Protocol for agents."""
