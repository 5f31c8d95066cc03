"""The commands of ``thousand``, one module each; ``games/cli.py`` puts them together."""
