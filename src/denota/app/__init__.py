"""What people meet: the command line."""
