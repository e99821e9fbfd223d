"""A report as one HTML page."""

from conformance.report.model import Report


def render(report: Report) -> str:
    return f"<pre>{report.closing_line()}</pre>"
