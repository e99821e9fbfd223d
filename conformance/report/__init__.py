"""Results as a JSON report, JUnit XML, one HTML page and text for the terminal; all of them from one model."""
