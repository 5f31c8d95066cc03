import sys; sys.hostile_was_here = True
