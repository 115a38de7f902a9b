"""The model hub: what it holds, and how its files come here, whole and checked."""
