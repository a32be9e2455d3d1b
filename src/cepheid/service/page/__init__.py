"""The page of the service, for people: jinja's templates, one style sheet, and htmx, all from this folder.

It asks the routes of programs for all that it shows and does, with the token of whoever is signed in.
entrance (who comes in) · asking (those routes) · rendering · one file for each subject
"""
