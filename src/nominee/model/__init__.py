"""Pure API objects: structs, quantities, selectors, resource sums and the codec."""
