"""The commands of ``deployment-conformance``, a module each, loaded only when asked for."""
