"""Players: a search, a policy and an evaluator put together by named options."""
