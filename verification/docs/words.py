#!/usr/bin/env python3
"""Counts stylistic habits that make text hard to read, and never fails.

The columns are comments (Java, Kotlin, Lua), messages (text in the published libraries), pages (Markdown,
without code), names of test methods, and the subjects of the last 50 commits.

words.py            the counts
words.py HABIT      each place where a habit occurs, such as: words.py "of its own"
"""
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

HABITS = {
    'who as subject': r'(?:^|[.;:,(] )who(?:ever)?\b|\bwhoever\b',
    'nobody, somebody': r'\b(?:no|some)body\b',
    'he, his': r'\b(?:he|his|him|himself)\b',
    'answer': r'\banswer(?:s|ed|ing)?\b',
    'tell, told': r'\b(?:tells?|told|telling)\b',
    'question': r'\bquestions?\b(?! mark)',
    'stands': r'\bstands?\b(?! still| in for)',
    'anew': r'\banew\b',
    'also if': r'\balso (?:if|by|with|where|when|while|after|before)\b',
    'beside': r'\bbeside\b',
    'the start': r'\b(?:at|before|after|ends|by) the start\b|\bthe start (?:fails|ends)',
    'of its own': r'\bof (?:its|their|his|our) own\b',
    'for ever': r'\bfor ever\b',
    'mend': r'\bmend(?:s|ed|ing)?\b',
    'lets go': r'\blet(?:s|ting)? go\b',
    'is had': r'\b(?:is|are|was|be) had\b',
    'by then': r'\bby then\b',
    'stays closed': r'\b(?:stay|keep)(?:s|ing)? (?:\w+ )?closed\b',
}

COMMENT = re.compile(r'/\*.*?\*/|(?<![:"])//[^\n]*', re.DOTALL)
LUA_COMMENT = re.compile(r'--[^\n]*')
STRING = re.compile(r'"((?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*)"')
TEST = re.compile(r'@(?:\w*Test|ArchTest)\b.*?(?:void|fun|ArchRule) `?(\w+)', re.DOTALL)
TAG = re.compile(r'@param \S+|\{@(?:link|linkplain|code|value)\b[^}]*\}?')
CODE = re.compile(r'^[ \t]*```.*?^[ \t]*```|`[^`\n]+`|\]\([^)]*\)', re.DOTALL | re.MULTILINE)


def git(*arguments):
    return subprocess.run(['git', '-C', PROJECT, *arguments], capture_output=True, text=True).stdout


def lines(pattern, text):
    """Return the lines of the text, each reduced to the parts of it that match."""
    kept = [''] * (text.count('\n') + 1)
    for match in pattern.finditer(text):
        first = text.count('\n', 0, match.start())
        for number, line in enumerate(match.group(0).split('\n'), first):
            kept[number] += line
    return [line.strip(' \t/*-"') for line in kept]


def sentence(name):
    return re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', ' ', name).lower()


def texts():
    """Yield the column, the place and the text of everything to count."""
    for file in git('ls-files').split():
        path = PROJECT / file
        if path.suffix in ('.java', '.kt', '.lua') and path.exists():
            source = path.read_text()
            comments = lines(LUA_COMMENT if path.suffix == '.lua' else COMMENT, source)
            yield from (('comments', f'{file}:{number}', TAG.sub('', text)) for number, text in enumerate(comments, 1))
            if re.match(r'lock-[\w-]+/src/main/', file) and path.suffix != '.lua':
                yield from (('messages', file, text) for text in STRING.findall(source))
            if '/src/test/' in file:
                yield from (('tests', file, sentence(name)) for name in TEST.findall(source))
        elif path.suffix == '.md' and path.exists():
            prose = CODE.sub(lambda code: '`' + '\n' * code.group(0).count('\n'), path.read_text())
            yield from (('pages', f'{file}:{number}', text) for number, text in enumerate(prose.split('\n'), 1))
    yield from (('commits', '', text) for text in git('log', '-50', '--format=%s').splitlines())


def main():
    columns = ['comments', 'messages', 'pages', 'tests', 'commits']
    counts = {habit: dict.fromkeys(columns, 0) for habit in HABITS}
    for column, place, text in texts():
        for habit, pattern in HABITS.items():
            found = len(re.findall(pattern, text, re.IGNORECASE))
            counts[habit][column] += found
            if found and habit in sys.argv[1:]:
                print(f'{column}  {place}  {text.strip()}')
    if not sys.argv[1:]:
        print(f'{"":18}' + ''.join(f'{column:>10}' for column in columns))
        for habit, found in counts.items():
            print(f'{habit:18}' + ''.join(f'{found[column]:10}' for column in columns))
        print(f'{"all":18}' + ''.join(f'{sum(found[column] for found in counts.values()):10}' for column in columns))


main()
