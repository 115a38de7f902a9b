"""The sockets: small protocols that the verbs ask for and that storage and providers plug into."""
