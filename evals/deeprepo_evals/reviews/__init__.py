"""How well changes are reviewed: real pull requests with a known defect, clean ones, and twins, with the cost beside each figure."""
