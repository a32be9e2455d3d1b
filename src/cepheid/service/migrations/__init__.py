"""How the tables came to be, one file a change; alembic runs what is missing at every start."""
