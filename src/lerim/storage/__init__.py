"""Databases: what one must offer, and the engines that do. SQL drivers are imported here and nowhere above."""
