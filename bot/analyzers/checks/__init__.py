"""Hold the static checks, each in one file. `ANALYZER` creates it, or the module itself satisfies `ports.Analyzer`."""
