"""Worlds: one sync each, as JSON lines in and out; the golden cases, the oracle and the fuzzer speak this format."""
