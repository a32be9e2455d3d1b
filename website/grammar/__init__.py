"""The grammar pages: written from the `.lark` files, with an example for everything, each of them run."""
