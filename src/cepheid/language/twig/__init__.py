"""Text to regular tree patterns."""
