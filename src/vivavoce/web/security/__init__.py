"""Security of the site: sessions, form tokens, rate limits and headers."""
