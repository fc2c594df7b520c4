"""What a build is made of: what changed, what is kept, what is written, what is reported."""
