"""The board in the browser: a server, a process for each session that plays and searches, and the page."""
