"""The page: what people see in a browser. It translates; the rules are in the rooms below."""
