"""KataGo's analysis protocol: queries as lines of JSON in, analyses of many positions at once out."""
