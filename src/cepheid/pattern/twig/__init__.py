"""Regular tree patterns: what to find in a document."""
