"""The MCP face: language models search, ask and read here. It translates; the rules are in the rooms below."""
