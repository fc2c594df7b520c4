"""How found sentences are put in order: fused, merged, asked again."""
