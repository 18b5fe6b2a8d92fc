"""What simulated nodes, volumes and devices do, without clock and store: `embedded` and `sim` share it."""
