"""The `lerim` command: one module per noun, flags beside the function that uses them."""
