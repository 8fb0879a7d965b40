"""Cases from any clone with history: real changes of a contract with the update of one user left out, and ordinary commits.

What a case claims is proven here by rules that share no code with `bot.dependents`, `bot.languages` or `bot.analyzers`.
"""
