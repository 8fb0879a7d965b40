"""What the product asks of the machine: files that are written through no link, processes that leave nothing behind, and their limits."""
