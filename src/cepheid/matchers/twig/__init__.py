"""Regular tree patterns over streams of tokens."""
