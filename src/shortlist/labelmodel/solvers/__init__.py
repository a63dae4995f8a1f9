"""Solvers: ways to the top of a penalised likelihood."""
