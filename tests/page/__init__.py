"""The page in a real browser: Debian's Chromium, driven by Playwright. `make test-page` runs it; the ordinary
tests do not collect it, since no file here is called test_….py."""
