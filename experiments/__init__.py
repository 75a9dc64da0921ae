"""One command for each table or figure of the papers."""
