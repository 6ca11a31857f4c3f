"""The commands, a file each; `denota.app.cli` declares them."""
