"""The command line of an experiment, for its report."""

import shlex

import click
from click.core import ParameterSource


def command_text(name: str) -> str:
    """Return `name` with the options that the running click command was given, ready to paste."""
    context = click.get_current_context()
    words = name.split()
    for option in context.command.params:
        assert isinstance(option, click.Option) and option.name is not None
        if context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            value = context.params[option.name]
            if option.is_flag:
                words.append(option.opts[0])
            else:
                for one in value if option.multiple else [value]:
                    words += [option.opts[0], str(one)]
    return shlex.join(words)
