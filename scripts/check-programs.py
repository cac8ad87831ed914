"""Prints programs in articles that differ from their file, the page and the line first.

A program stands below `<!-- sample: file PATH -->`; the file is compiled, and run by a test, as an example. Of a file that
needs GTK, the article shows what is between `#if GTK` and `#else`.
"""

import pathlib
import re
import sys
import textwrap

MARK = re.compile(r"<!-- sample: file (\S+) -->\n```swift\n(.*?)```\n", re.DOTALL)


def shown(path):
    text = pathlib.Path(path).read_text()
    guarded = re.match(r"#if GTK\n(.*?)#(else|endif)\n", text, re.DOTALL)
    return textwrap.dedent(guarded[1]) if guarded else text


pages = sys.argv[1:] or sorted(pathlib.Path("Sources").glob("*/*.docc/*.md"))
for page in pages:
    text = pathlib.Path(page).read_text()
    found = list(MARK.finditer(text))
    if len(found) != text.count("<!-- sample: file "):
        print(f"{page}: a program needs a line with its file, and a block of Swift below it")
    for program in found:
        if program[2] != shown(program[1]):
            line = text.count("\n", 0, program.start()) + 1
            print(f"{page}:{line}: {program[1]}")
