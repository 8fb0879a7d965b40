"""The experiments behind the project's claims: each is a command, with scripted models or real ones, beside baselines."""
