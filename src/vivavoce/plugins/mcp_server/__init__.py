"""The door for agents that examine other agents: the toolkit as a server of the Model Context Protocol (`mcp2026`)."""
