"""Engines that speak GTP, the Go Text Protocol."""
