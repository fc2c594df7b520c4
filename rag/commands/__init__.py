"""What the commands read and print."""
