"""How often an approved answer reaches its question in other words, and how often another one."""
