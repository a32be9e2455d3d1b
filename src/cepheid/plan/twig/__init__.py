"""How a regular tree pattern is found: state functions and sibling automata."""
