"""What spans rooms, one module for each flow. `service.py` has the door to each of them."""
