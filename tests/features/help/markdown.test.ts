import { expect, test } from 'vitest';
import { blocksOf, textOf, type References } from '#features/content/help/markdown.server.ts';

const LABELS: Readonly<Record<string, string>> = {
  'tasks.submit': 'Submit to {{firm}}',
  'tasks.due': 'Due {{date}}',
};
const references: References = {
  textOfLabel: ({ namespace, key }) => LABELS[`${namespace}.${key}`],
  respell: (text) => text.replaceAll('color', 'colour'),
};
const read = (source: string) => blocksOf(source, references);

test('headings, paragraphs, lists, notes and tables are read as data', () => {
  expect(
    read('## One\n\nTwo **three**.\n\n1. four\n2. five\n\n> six\n\n| a | b |\n| - | - |\n| c | d |'),
  ).toEqual([
    { kind: 'heading', level: 2, content: [{ kind: 'text', text: 'One' }] },
    {
      kind: 'paragraph',
      content: [
        { kind: 'text', text: 'Two ' },
        { kind: 'strong', content: [{ kind: 'text', text: 'three' }] },
        { kind: 'text', text: '.' },
      ],
    },
    {
      kind: 'list',
      isOrdered: true,
      items: [[{ kind: 'text', text: 'four' }], [{ kind: 'text', text: 'five' }]],
    },
    { kind: 'note', content: [{ kind: 'text', text: 'six' }] },
    {
      kind: 'table',
      head: [[{ kind: 'text', text: 'a' }], [{ kind: 'text', text: 'b' }]],
      rows: [[[{ kind: 'text', text: 'c' }], [{ kind: 'text', text: 'd' }]]],
    },
  ]);
});

test('labels, icons and links are read, and only words are respelled', () => {
  expect(
    read('A color: {t:tasks.submit} {icon:upload} [go]({page:documents/trash}) [more]({article:color})'),
  ).toEqual([
    {
      kind: 'paragraph',
      content: [
        { kind: 'text', text: 'A colour: ' },
        { kind: 'label', label: { namespace: 'tasks', key: 'submit' }, text: 'Submit to' },
        { kind: 'text', text: ' ' },
        { kind: 'icon', name: 'upload' },
        { kind: 'text', text: ' ' },
        { kind: 'page', to: 'documents/trash', content: [{ kind: 'text', text: 'go' }] },
        { kind: 'text', text: ' ' },
        { kind: 'article', to: 'color', content: [{ kind: 'text', text: 'more' }] },
      ],
    },
  ]);
});

test.each([
  ['<script>alert(1)</script>'],
  ['before <img src=x onerror=alert(1)> after'],
  ['- <b>bold</b> & <i>more</i>'],
])('HTML is text: %s', (source) => {
  const blocks = read(source);
  expect(textOf(blocks)).toBe(source.replace(/^- /, ''));
  expect(JSON.stringify(blocks)).not.toMatch(/"kind":"(?!text|paragraph|list)/);
});

test.each([
  ['{t:tasks.none}', 'unknown label “tasks.none”'],
  ['{t:tasks.due}', 'label “tasks.due” has placeholders'],
  ['{icon:none}', 'unknown icon “none”'],
  ['{picture:x}', 'unknown reference'],
  ['[a](javascript:alert)', 'link to “javascript:alert”'],
  ['[a](https://example.com)', 'link to “https://example.com”'],
  ['https://example.com', 'link to “https://example.com”'],
  ['[a]({page:documents?x=1})', 'link to'],
  ['# One', 'heading of level 1'],
  ['![a](b.png)', '“image”'],
  ['`code`', '“codespan”'],
  ['```\ncode\n```', '“code” is not used'],
  ['a\n\n---\n', '“hr” is not used'],
  ['- a\n  - b', '“list” inside a list'],
])('what an article may not have is refused: %s', (source, problem) => {
  expect(() => read(source)).toThrow(problem);
});
