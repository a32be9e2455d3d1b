"""The notification service: profiles behind HTTP. Only this folder knows HTTP and SQL.

settings · store (tables, migrations/) · steps, matching, recovery and engine (one thread that owns all that
changes) · intake · feed · delivery · auth · routes/ · app
"""
