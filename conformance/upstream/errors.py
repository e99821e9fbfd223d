"""The one way in which upstream's programs can fail to be there."""


class UpstreamUnavailable(Exception):
    """A program of upstream's can't be had; the text is one sentence: what is wrong, and what to do about it."""
