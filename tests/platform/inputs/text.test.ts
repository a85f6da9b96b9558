import { expect, test } from 'vitest';
import { line, name } from '#platform/inputs/line-schemas.ts';

test.each([
  ['  Ana  Souza ', 'Ana Souza'],
  ['Ana\tSouza\r\n', 'Ana Souza'],
  ['Conceic\u0327a\u0303o', 'Conceição'],
  ['Ana\u200BMaria', 'AnaMaria'],
  ['An\u00ADto\u00ADnio', 'Antonio'],
  ['\u200FAna\u202E', 'Ana'],
  ['\uFEFFAna', 'Ana'],
  ['Ana\u200D Souza\u200C', 'Ana Souza'],
  ['می\u200Cخواهم', 'می\u200Cخواهم'], // Persian is written with the joiner
  ['क\u094D\u200Dष', 'क\u094D\u200Dष'],
  ['Ana 👩\u200D💻', 'Ana 👩\u200D💻'],
  ['Zoë D’Artagnan-O’Brien', 'Zoë D’Artagnan-O’Brien'],
])('a name is stored as it is read: %j', (typed, stored) => {
  expect(name.parse(typed)).toBe(stored);
});

test.each(['', '\u200B', 'Ana\u0000', 'Ana\u0007', 'Ana\uD800', 'Ana\uE000'])(
  'a name without letters, or with control characters, is refused: %j',
  (typed) => expect(name.safeParse(typed).success).toBe(false),
);

test('the length of a line is that of what is stored', () => {
  expect(line(3).safeParse(' a\u200Bbc ').success).toBe(true);
  expect(line(3).safeParse('abcd').success).toBe(false);
});
