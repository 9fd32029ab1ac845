"""An MCP server for agents that examine other models (`mcp2026`)."""
