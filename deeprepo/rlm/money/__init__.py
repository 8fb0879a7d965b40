"""Every paid call goes through here: budget, rate limits, retries, answers that fit their schema."""
