"""Where events come from and where results go: files by their ending, and generated data."""
