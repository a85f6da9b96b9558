import { expect, test } from 'vitest';
import { Items } from '#features/base/grids/ui/grid-source.ts';
import { RowPages } from '#features/base/grids/ui/row-pages.ts';

const rowOf = (index: number) => ({
  id: `row-${index}`,
  name: `Row ${index}`,
  cells: { name: { text: `Row ${index}`, note: index % 2 === 0 ? 'even' : undefined } },
  actions: [],
});
const rowsFrom = (start: number, count: number) => Array.from({ length: count }, (_, i) => rowOf(start + i));

const levelOf = (pages: RowPages, { path = [] as string[], count = 0, next = null as string | null }) => ({
  path,
  pages: count === 0 ? [] : [pages.add(rowsFrom(0, count))],
  groups: [],
  next,
  state: 'idle' as const,
});

test('rows of a hundred pages are found by their index, in both directions', () => {
  const pages = new RowPages();
  const level = { ...levelOf(pages, {}), next: 'more' };
  for (let page = 0; page < 100; page += 1) level.pages.push(pages.add(rowsFrom(page * 100, 100)));
  const items = new Items(pages, level);
  expect(items.length).toBe(10_001);
  for (const index of [0, 99, 100, 9999, 5050, 0])
    expect(items.at(index)).toMatchObject({ kind: 'row', key: `row-${index}`, level: 1 });
  expect(items.at(10_000)).toMatchObject({ kind: 'end', level });
  expect(items.at(10_001)).toBeUndefined();
  expect(items.at(-1)).toBeUndefined();
  expect(items.slice(98, 102).map(({ key }) => key)).toEqual(['row-98', 'row-99', 'row-100', 'row-101']);
  expect(items.slice(9999, 10_050)).toHaveLength(2);
});

test('a row is the same object while its page is used, and has the same content when it comes back', () => {
  const pages = new RowPages();
  const rows = rowsFrom(0, 10);
  const page = pages.add(rows);
  expect(pages.rowsOf(page)).toBe(rows);
  for (let other = 1; other < 50; other += 1) pages.add(rowsFrom(other * 10, 10));
  const again = pages.rowsOf(page);
  expect(again).not.toBe(rows);
  expect(again).toEqual(JSON.parse(JSON.stringify(rows)));
  expect(pages.rowsOf(page)).toBe(again);
});

test('an open group shows its rows and its end between the groups', () => {
  const pages = new RowPages();
  const group = (text: string, isOpen: boolean, count: number, next: string | null) => ({
    row: { group: 'kind', key: text, text, count, level: 1 },
    inside: levelOf(pages, { path: [text], count, next }),
    isOpen,
  });
  const level = {
    ...levelOf(pages, {}),
    groups: [group('a', false, 3, null), group('b', true, 2, 'more'), group('c', true, 0, null)],
  };
  const items = new Items(pages, level);
  expect(items.slice(0, items.length).map((item) => [item.kind, item.key])).toEqual([
    ['group', '["a"]'],
    ['group', '["b"]'],
    ['row', 'row-0'],
    ['row', 'row-1'],
    ['end', 'end ["b"]'],
    ['group', '["c"]'],
  ]);
  expect(items.at(2)).toMatchObject({ level: 2 });
});
