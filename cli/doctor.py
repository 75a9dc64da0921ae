import click
command = click.Command("doctor")
