"""The command-line reference, made when the site is built: every command with its options, defaults and an example.

A hook of mkdocs (`hooks` in mkdocs.yml). Each command of `viva` gets a page `cli/NAME.md`, with the commands below it as
sections, and `cli/index.md` gets a table of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from vivavoce.cli.help import Command
from vivavoce.cli.options import ExpertOption
from vivavoce.cli.viva import viva

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

HEADING = "Commands"
"""Of the reference's entry in `nav` that the pages replace."""
BOOST = {"api/": 0.0001, "cli/": 0.5}
"""Weights of pages in the site's search, by folder: names of functions match many words of the field."""
_EXAMPLE = re.compile(r"^viva .*", flags=re.MULTILINE)
_MARKS = re.compile(r"[\\`*_\[\]|#]")
_LATER_PARAGRAPH = re.compile(r"\n{2,}")


def contexts(command: click.Command, parent: click.Context | None = None, name: str = "viva") -> Iterator[click.Context]:
    """The command and all commands below it, in the order of the help."""
    context = click.Context(command, info_name=name, parent=parent)
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            if (found := command.get_command(context, below)) is not None:
                yield from contexts(found, context, below)


def examples(context: click.Context) -> list[str]:
    """From the command's help, from a group's above it, or the command with its arguments and required options."""
    above: click.Context | None = context
    while above is not None and above.parent is not None:
        listed = _EXAMPLE.findall(cleandoc(above.command.help or "").replace("    ", ""))
        if calls := [line for line in listed if f"{line} ".startswith(f"{context.command_path} ")]:
            return calls
        above = above.parent
    pieces = [context.command_path]
    for parameter in context.command.get_params(context):
        if isinstance(parameter, click.Option):
            pieces += [f"{max(parameter.opts, key=len)} {parameter.make_metavar(context)}"] if parameter.required else []
        elif parameter.required:
            pieces.append(parameter.make_metavar(context))
    return [" ".join(pieces)]


def section(context: click.Context, level: int) -> str:
    """A command as Markdown: what it does, how it is called, an example, and its options by their heads."""
    command, path = context.command, context.command_path
    blocks = [block for block in _LATER_PARAGRAPH.split(cleandoc(command.help or "").replace("\b", "")) if block.strip()]
    prose = [" ".join(block.split()) for block in blocks if not block.lstrip().startswith("viva ")]
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    lines = [f"{'#' * level} {path}", *map(_plain, prose), f"```text\n{usage}\n```"]
    if isinstance(command, click.Group):
        names = [name for name in command.list_commands(context) if command.get_command(context, name) is not None]
        lines.append("Commands: " + ", ".join(f"[`{name}`](#{'-'.join([*path.split(), name])})" for name in names) + ".")
    else:
        shown = "\n".join(examples(context))
        lines.append(f"Example:\n\n```text\n{shown}\n```")
    lines += [_table(head, options) for head, options in _options(context).items() if options]
    if command.epilog:
        lines.append(_plain(command.epilog))
    return "\n\n".join(lines)


def _options(context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """All options but help, as pairs of forms and meaning, by the heads of `--help-all`."""
    command, heads = context.command, {}
    own = [option for option in command.params if isinstance(option, click.Option)]
    settings = [option for option in own if isinstance(option, ExpertOption)]
    left = {max(option.opts, key=len): option for option in own if option not in settings}
    if isinstance(command, Command):
        heads = {head: [left.pop(name) for name in names if name in left] for head, names in command._heads.items()}
    grouped = {**heads, "Options": list(left.values()), "Settings (`--set`)": settings}
    return {head: [row for option in group if (row := option.get_help_record(context))] for head, group in grouped.items()}


def _table(head: str, options: list[tuple[str, str]]) -> str:
    rows = [f"| `{forms}` | {_plain(meaning)} |" for forms, meaning in options]
    return "\n".join([f"| {head} | |", "| --- | --- |", *rows])


def _plain(text: str) -> str:
    """The text on one line, without a meaning in Markdown."""
    return _MARKS.sub(r"\\\g<0>", escape(" ".join(text.split()), quote=False))


def pages() -> dict[str, str]:
    """Each page's address and its text."""
    root = click.Context(viva, info_name="viva")
    written = {}
    for name in viva.list_commands(root):
        command = viva.get_command(root, name)
        assert command is not None
        parts = [section(context, 1 + depth) for depth, context in _depths(contexts(command, root, name))]
        written[f"cli/{name}.md"] = "\n\n".join(parts) + "\n"
    return written


def _depths(below: Iterator[click.Context]) -> Iterator[tuple[int, click.Context]]:
    for context in below:
        yield min(context.command_path.count(" ") - 1, 2), context


def overview() -> str:
    """A table of all commands, with what they do."""
    root = click.Context(viva, info_name="viva")
    rows = []
    for name in viva.list_commands(root):
        command = viva.get_command(root, name)
        assert command is not None
        rows.append(f"| [`viva {name}`]({name}.md) | {_plain(command.get_short_help_str(200))} |")
    return "\n".join(["", "## All commands", "", "| command | |", "| --- | --- |", *rows, ""])


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages into the entry of `nav` that is named `HEADING`."""
    commands = [{f"viva {address[4:-3]}": address} for address in pages()]
    for entry in config.nav or []:
        for pages_of_entry in entry.values():
            for item in pages_of_entry if isinstance(pages_of_entry, list) else []:
                if isinstance(item, dict) and HEADING in item:
                    item[HEADING] = ["cli/index.md", *commands]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, which are in no folder."""
    from mkdocs.structure.files import File

    for address, text in pages().items():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Set the weight of a page in the search, and add the table of commands."""
    for folder, boost in BOOST.items():
        if page.file.src_uri.startswith(folder):
            page.meta.setdefault("search", {"boost": boost})
    return markdown + overview() if page.file.src_uri == "cli/index.md" else markdown
