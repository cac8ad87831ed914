"""Writes man pages and shell completions from the command's help texts: man.py ALCEDO FOLDER

FOLDER gets man1/*.1, bash/alcedo, zsh/_alcedo and fish/alcedo.fish.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys


class Entry:
    """A line of a table: an option, a word or a processor, with its description."""

    def __init__(self, term, text):
        self.term = term
        self.text = text

    @property
    def names(self):
        """The names of an option, such as -o and --output; none for other entries."""
        return re.findall(r"(?:^|, )(--?[a-z][a-z0-9-]*)", self.term)

    @property
    def value(self):
        """The name of the option's value; None without one."""
        rest = re.sub(r"^(?:--?[a-z][a-z0-9-]*(?:, )?)+", "", self.term).strip()
        return rest or None

    @property
    def choices(self):
        """The values of an option that takes one of several, such as prefer|require|off; none for others."""
        return self.value.split("|") if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", self.value or "") else []

    @property
    def short_text(self):
        """The description up to its first semicolon, parenthesis, default or sentence."""
        return re.split(r"[;:] | \(|\. |, from \d|, by default", self.text)[0].strip()


class Command:
    """A command's help text, in parts."""

    def __init__(self, text):
        usage, summary, *blocks = re.split(r"\n\n+", text.strip("\n"))
        self.synopsis = usage.removeprefix("usage: ")
        self.name = self.synopsis.split()[1]
        self.summary = summary.strip()
        self.blocks = [table(block) if block.startswith("  ") else " ".join(block.split()) for block in blocks]
        self.examples = []
        if "Examples:" in self.blocks:
            start = self.blocks.index("Examples:")
            self.examples = self.blocks[start + 1]
            del self.blocks[start:start + 2]

    @property
    def options(self):
        return [entry for entry in self.entries if entry.names] + [Entry("-h, --help", "print this help")]

    @property
    def entries(self):
        return [entry for block in self.blocks if isinstance(block, list) for entry in block]

    @property
    def words(self):
        """The words that may follow the command, such as stats; none if files or URLs follow."""
        match = re.match(r"[a-z]+(\|[a-z]+)+$", self.synopsis.split()[2])
        return match.group(0).split("|") if match else []


def table(block):
    entries = []
    for line in block.split("\n"):
        if match := re.match(r"  (\S.*?)(?:  +(.*))?$", line):
            entries.append(Entry(match.group(1), match.group(2) or ""))
        else:
            entries[-1].text = f"{entries[-1].text} {line.strip()}".strip()
    return entries


def roff(text):
    """Text for a man page: plain dashes and quotes that can be copied, no line that looks like a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga").replace("^", r"\(ha")
    return re.sub(r"^([.'])", r"\\&\1", text)


def page(name, version, summary, synopsis, body, also):
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).date() if seconds else datetime.date.today()
    lines = [f'.TH {name.upper()} 1 "{date}" "{version}" "{version.split()[0].capitalize()}"', ".SH NAME",
             roff(name) + r" \- " + roff(summary[0].lower() + summary[1:].rstrip(".")), ".SH SYNOPSIS"]
    for line in synopsis:
        lines += [r"\fB" + roff(line.split()[0]) + r"\fP " + roff(" ".join(line.split()[1:])), ".br"]
    lines[-1:] = []
    lines += body + [".SH SEE ALSO"]
    lines += [f".BR {other} (1)" + ("," if other != also[-1] else "") for other in map(roff, also)]
    return "\n".join(lines) + "\n"


def command_page(command, version):
    body = [".SH DESCRIPTION", roff(command.summary)]
    for block in command.blocks:
        if isinstance(block, str):
            body += [".PP", roff(block)]
            continue
        for entry in block:
            body += [".TP", r"\fB" + roff(entry.term) + r"\fP", roff(entry.text)]
    if command.examples:
        body += [".SH EXAMPLES"]
        for entry in command.examples:
            body += [".TP", r"\fB" + roff(entry.term) + r"\fP", roff(entry.text)]
    return page("alcedo-" + command.name, version, command.summary, [command.synopsis], body, ["alcedo"])


def main_page(overview, commands, version):
    status = re.search(r"Exit status: (.*)\.", overview).group(1)
    body = [".SH DESCRIPTION", "Loads images through a cache, converts and inspects them.", ".SH COMMANDS"]
    for command in commands:
        body += [".TP", rf"\fB{command.name}\fP", roff(command.summary)]
    body += [".SH OPTIONS", ".TP", r"\fB\-\-help\fP", "print the commands; after a command, its options",
             ".TP", r"\fB\-\-version\fP", "print the version", ".SH EXIT STATUS"]
    for code in status.split(", "):
        number, meaning = code.split(" ", 1)
        body += [".TP", rf"\fB{number}\fP", roff(meaning)]
    body += [".SH FILES", ".TP", "$XDG_CACHE_HOME/alcedo, ~/.cache/alcedo", "the disk cache of all commands"]
    return page("alcedo", version, "Loads, converts and inspects images.",
                ["alcedo COMMAND …", "alcedo --version"], body, ["alcedo-" + command.name for command in commands])


def bash(commands):
    names = " ".join(command.name for command in commands)
    cases = ""
    choices = ""
    for command in commands:
        for entry in command.options:
            if entry.choices:
                words = "|".join(f"{command.name}{name}" for name in entry.names)
                choices += f"    {words}) choices='{' '.join(entry.choices)}' ;;\n"
        options = " ".join(name for entry in command.options for name in entry.names)
        values = "|".join(name for entry in command.options if entry.value for name in entry.names)
        cases += f"    {command.name})\n        options='{options}' values='{values or '-'}' words='{' '.join(command.words)}' ;;\n"
    return f"""# Completes alcedo's commands and options; files otherwise.
_alcedo() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD - 1]}} options values words choices=
    COMPREPLY=()
    # “--sandbox=off” is three words.
    [[ $word != = ]] || word=
    [[ $last != = ]] || last=${{COMP_WORDS[COMP_CWORD - 2]}}
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '{names} --help --version' -- "$word")
        return
    fi
    case ${{COMP_WORDS[1]}} in
{cases}    *) return ;;
    esac
    case ${{COMP_WORDS[1]}}$last in
{choices}    esac
    if [[ $choices ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
        return
    fi
    # The value of an option.
    [[ ! $last =~ ^($values)$ ]] || return
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif ((COMP_CWORD == 2)); then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    fi
}}
complete -o bashdefault -o default -F _alcedo alcedo
"""


def quoted(text, special=""):
    for character in "\\" + special:
        text = text.replace(character, "\\" + character)
    return text.replace("'", "'\\''")


def zsh(commands):
    described = "\n".join(f"        '{command.name}:{quoted(command.summary.rstrip('.'))}'" for command in commands)
    cases = ""
    for command in commands:
        lines = []
        for entry in command.options:
            text = quoted(entry.short_text, "[]")
            action = f"({' '.join(entry.choices)})" if entry.choices else "_files"
            value = f":{'value' if entry.choices else quoted(entry.value, ':')}:{action}" if entry.value else ""
            names = entry.names[0] if len(entry.names) == 1 else "{" + ",".join(entry.names) + "}"
            lines.append(f"'*'{names}'[{text}]{value}'" if len(entry.names) > 1 else f"'*{names}[{text}]{value}'")
        lines.append(f"'1:what:({' '.join(command.words)})'" if command.words else "'*:file or URL:_files'")
        cases += f"        {command.name})\n            _arguments \\\n                " + " \\\n                ".join(lines) + " ;;\n"
    return f"""#compdef alcedo
# Completes alcedo's commands and options; files otherwise.
_alcedo() {{
    local -a commands=(
{described}
    )
    if ((CURRENT == 2)); then
        _describe command commands
        _arguments '--help[print the commands]' '--version[print the version]'
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT -= 1))
    case $command in
{cases}    esac
}}
_alcedo "$@"
"""


def fish(commands):
    lines = ["# Completes alcedo's commands and options; files otherwise."]
    none = "not __fish_seen_subcommand_from " + " ".join(command.name for command in commands)
    for command in commands:
        lines.append(f"complete -c alcedo -f -n '{none}' -a {command.name} -d '{quoted(command.summary.rstrip('.'))}'")
    lines.append(f"complete -c alcedo -f -n '{none}' -l version -d 'print the version'")
    for command in commands:
        seen = f"complete -c alcedo -n '__fish_seen_subcommand_from {command.name}'"
        for word in command.words:
            lines.append(f"{seen} -f -a {word}")
        for entry in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in entry.names)
            value = f" -x -a '{' '.join(entry.choices)}'" if entry.choices else " -r" if entry.value else ""
            lines.append(f"{seen} {names}{value} -d '{quoted(entry.short_text)}'")
    return "\n".join(lines) + "\n"


def main():
    alcedo, folder = sys.argv[1], pathlib.Path(sys.argv[2])

    def output(*arguments):
        return subprocess.run([alcedo, *arguments], check=True, capture_output=True, text=True).stdout

    overview = output("--help")
    version = output("--version").strip()
    names = re.findall(r"^  alcedo ([a-z]+) ", overview, re.MULTILINE)
    commands = [Command(output(name, "--help")) for name in names]
    files = {"man1/alcedo.1": main_page(overview, commands, version), "bash/alcedo": bash(commands),
             "zsh/_alcedo": zsh(commands), "fish/alcedo.fish": fish(commands)}
    files |= {f"man1/alcedo-{command.name}.1": command_page(command, version) for command in commands}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


main()
