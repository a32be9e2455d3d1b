"""The documentation as a site: `python -m website` builds it from docs/, the examples and the code itself.

What a page shows of the code is generated when the site is built: the commands from their help, the
routes from the OpenAPI document, Python from its docstrings. `grammar/` and
`strategies.py` write what is kept in docs/.
"""
