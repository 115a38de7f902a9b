"""How a text is laid out: blocks, headings, tables, numbered lines, tables of contents, quoted mail."""
