"""All paid calls go through here, for budgets, rate limits, retries and valid answers."""
