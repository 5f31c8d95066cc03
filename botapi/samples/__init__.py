"""Sample bots: whole programs of one file that speak protocol 1, to copy and to enter in a demo ladder."""
