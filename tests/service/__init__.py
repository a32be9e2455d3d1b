"""The notification service: real processes, real databases, real receivers."""
