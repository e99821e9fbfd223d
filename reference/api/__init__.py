"""The API's objects as values, and what the API server makes of them: types, defaults, validation, patches, hash."""
