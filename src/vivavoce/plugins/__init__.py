"""Entry points for other programs: Inspect's tasks and logs, and an MCP server for agents."""
