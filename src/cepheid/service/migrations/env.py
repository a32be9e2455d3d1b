"""Where alembic begins: on the connection that the store gives it."""

from alembic import context

from cepheid.service.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
