"""Chess engines that speak UCI."""
