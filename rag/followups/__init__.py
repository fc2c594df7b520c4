"""Questions that lean on the turns before, made to stand alone."""
