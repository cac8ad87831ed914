/// Nothing to call: see unverified.c.
