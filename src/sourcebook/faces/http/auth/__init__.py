"""Who may call over HTTP: keys, sign-in, origins, and what a browser is allowed to run."""
