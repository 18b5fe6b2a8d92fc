"""What the server knows of the form of objects: their types, and what is wrong with a value of one."""
