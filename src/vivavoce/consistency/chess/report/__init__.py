"""What the chess checks report: differences by check, the worst positions, shares over nodes, and the method."""
