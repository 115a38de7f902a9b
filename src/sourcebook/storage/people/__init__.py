"""Users, their consultations, messages and tokens."""
