"""What keeps one client from costing the others: large bodies, many requests, slow and vanished clients."""
