import { expect, test } from 'vitest';
import { shortMoment } from '#platform/text/short-moment.ts';
import { markup } from '#ui/markup.ts';
import { rowParts, sharedDataOf } from '#ui/table/rows.ts';
import type { TableProps } from '#ui/table/table.ts';

interface Paper {
  id: string;
  name: string;
  place: string;
}
const PAPERS: Paper[] = [
  { id: 'a', name: 'A <b>.pdf', place: 'x' },
  { id: 'b', name: 'B', place: 'x' },
  { id: 'c', name: 'C', place: 'y' },
];
const table = (more: Partial<TableProps<Paper>> = {}): TableProps<Paper> => ({
  caption: 'Papers',
  columns: [{ key: 'name', label: 'Name', isRowHeader: true, text: ({ name }) => name }],
  rows: PAPERS,
  empty: 'None',
  ...more,
});
const written = (props: TableProps<Paper>): string =>
  rowParts(props, { locale: 'en-US', timeZone: 'UTC' })
    .map((part) => ('html' in part ? part.html : `[${part.row.id}]`))
    .join('');

test('rows have the roles of a table, and people’s texts are escaped and isolated', () => {
  expect(written(table({ rows: PAPERS.slice(0, 1) }))).toBe(
    '<tr role="row"><th scope="row" role="rowheader"><bdi>A &lt;b&gt;.pdf</bdi></th></tr>',
  );
});

test('a row of a selection has only the data that differ from those of the table', () => {
  const select: TableProps<Paper>['select'] = {
    name: 'id',
    valueOf: ({ id }) => id,
    labelOf: ({ name }) => `Select ${name}`,
    dataOf: ({ place, id }) => ({ 'data-place': place, ...(id === 'a' && { 'data-first': 'yes' }) }),
    allLabel: 'All',
    isSelectable: ({ id }) => id !== 'b',
  };
  expect(sharedDataOf(table({ select }))).toEqual({ 'data-place': 'x', 'data-first': 'yes' });
  const rows = written(table({ select, columns: [] })).split('</tr>');
  expect(rows[0]).toContain('<input type="checkbox" name="id" value="a">');
  expect(rows[1]).toBe('<tr role="row"><td role="cell" class="cell-pick"></td>');
  expect(rows[2]).toContain('value="c" data-place="y" data-first="">');
});

test('cells of components are between the markup of the others', () => {
  const columns: TableProps<Paper>['columns'] = [
    { key: 'acts', label: 'Acts', cell: () => undefined },
    { key: 'name', label: 'Name', markup: ({ name }) => markup`<i>${name}</i>`, classOf: ({ id }) => id },
  ];
  const rows = PAPERS.slice(0, 1);
  expect(written(table({ columns, rows }))).toBe(
    '<tr role="row"><td role="cell">[a]</td><td role="cell" class="a"><i>A &lt;b&gt;.pdf</i></td></tr>',
  );
  expect(rowParts(table(), { locale: 'en-US', timeZone: 'UTC' })).toHaveLength(1);
});

test('links, moments, problems, notes and actions of a row', () => {
  const columns: TableProps<Paper>['columns'] = [
    { key: 'link', label: 'Link', text: ({ name }) => name, href: ({ id }) => `?a&id=${id}` },
    { key: 'at', label: 'At', at: () => 0, isLabelled: true, textStyle: 'meta' },
    { key: 'count', label: 'Count', text: () => '3', isNumber: true, note: () => 'of 4' },
    { key: 'state', label: 'State', text: () => 'Failed', isProblem: () => true },
    {
      key: 'chip',
      label: 'Chip',
      text: () => 'Open',
      note: () => '2/5',
      chip: () => ({ tone: 'info', icon: 'inbox' }),
      title: () => 'Open since May',
    },
  ];
  const actions: TableProps<Paper>['actions'] = {
    label: 'Actions',
    nameOf: ({ name }) => name,
    of: () => [
      { label: 'End', href: '/end', isDangerous: true },
      { label: 'Keep', name: 'keep', value: '1', form: 'f' },
    ],
  };
  const cells = written(table({ columns, actions, rows: PAPERS.slice(1, 2) })).split('</td>');
  expect(cells).toEqual([
    '<tr role="row"><td role="cell"><a href="?a&amp;id=b"><bdi>B</bdi></a>',
    '<td role="cell" class="meta" data-label="At"><time datetime="1970-01-01T00:00:00.000Z" data-local="cell">Jan 1, 1970, 12:00 AM UTC</time>',
    '<td role="cell" class="number">3 <small class="cell-note"><bdi>of 4</bdi></small>',
    '<td role="cell"><strong class="cell-problem"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="/icons.svg#circle-alert"></use></svg> <bdi>Failed</bdi></strong>',
    '<td role="cell" title="Open since May"><span class="state-chip" data-tone="info"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="/icons.svg#inbox"></use></svg><bdi>Open</bdi> <small>2/5</small></span>',
    '<td role="cell" class="row-actions"><a class="button button-danger" href="/end">End<span class="visually-hidden"> B</span></a><button class="button" name="keep" value="1" form="f">Keep<span class="visually-hidden"> B</span></button>',
    '</tr>',
  ]);
});

test('the actions of a row are a menu that opens without scripts, where a list has one', () => {
  const actions: TableProps<Paper>['actions'] = {
    label: 'Actions',
    nameOf: ({ name }) => name,
    of: ({ id }) => (id === 'b' ? [{ label: 'Open', href: '/b' }] : []),
    menu: { idOf: ({ id }) => id, labelOf: ({ name }) => `Actions for ${name}` },
  };
  const [first, second] = written(table({ columns: [], actions, rows: PAPERS })).split('</tr>');
  expect(first).toContain('<td role="cell" class="row-actions"></td>');
  expect(second).toContain('popovertarget="menu-b" aria-label="Actions for B">');
  expect(second).toContain(
    '<ul id="menu-b" popover class="acts-menu"><li><a href="/b">Open</a></li></ul></td>',
  );
});

test('a short moment is the time of today, the day of this year, or the date', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const columns: TableProps<Paper>['columns'] = [
    {
      key: 'at',
      label: 'At',
      isShortMoment: true,
      at: ({ id }) =>
        ({ a: '2026-11-28T00:42:00Z', b: '2026-11-04T09:00:00Z' })[id] ?? '2025-11-04T09:00:00Z',
    },
  ];
  const html = rowParts(table({ columns }), { locale: 'en-US', timeZone: 'UTC', now })
    .map((part) => ('html' in part ? part.html : ''))
    .join('');
  expect(html).toContain('title="Nov 28, 2026, 12:42 AM UTC" data-short>12:42 AM</time>');
  expect(html).toContain('>Nov 4</time>');
  expect(html).toContain('>Nov 4, 2025</time>');
  // it was yesterday there
  expect(shortMoment('en-US', Date.parse('2026-11-28T00:42:00Z'), { now, timeZone: 'America/Chicago' })).toBe(
    'Nov 27',
  );
});
