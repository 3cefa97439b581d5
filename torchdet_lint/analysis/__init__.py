"""What a program does, found by abstract interpretation of its IR, and what follows from it."""
