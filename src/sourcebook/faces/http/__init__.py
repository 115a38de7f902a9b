"""The HTTP face: the API that programs and the page share. It translates; the rules are in the rooms below."""
