"""`python -m denota` is the command line."""

from denota.app.cli import main

main()
