"""Results of any experiment as one HTML page: tables and plots, readable without a network."""
