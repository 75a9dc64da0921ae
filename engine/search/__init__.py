"""Tree search with pluggable selection and backup rules; knows no Go."""
