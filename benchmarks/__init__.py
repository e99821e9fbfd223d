"""``make bench``: how fast it is, as ratios of what runs side by side in one run. Nothing here is a test."""
