"""Fernando & Müller 2013: matches of policies (table 2), blunders (table 3), fair komi (table 4)."""
