"""List the CI jobs that failed on the reviewed head, with their errors and the lines that cause them."""
