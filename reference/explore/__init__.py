"""What could happen: schedules that no single run shows, and faults that the real controllers once had."""
