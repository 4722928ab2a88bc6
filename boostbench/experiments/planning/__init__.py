"""Which runs a config wants, and what is left to do of them."""
