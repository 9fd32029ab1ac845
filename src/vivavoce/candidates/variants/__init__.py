"""Engines that speak UCI and play other games than chess: xiangqi and shogi."""
