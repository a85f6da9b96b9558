import { expect, test } from 'vitest';
import { groupsOf } from '#features/office/inbox/groups.ts';
import type { InboxItem } from '#features/office/inbox/inbox.ts';
import { ageOf } from '#features/office/inbox/texts.server.ts';
import '../../../src/app.server.ts';

const item = (itemId: string, clientId?: string): InboxItem => ({
  itemId,
  kind: 'documents',
  key: '',
  name: itemId,
  detail: '',
  count: 1,
  clientId,
  clientName: clientId,
  since: 0,
  isUnread: false,
});

test('rows that follow each other are one group of their client, and the firm has groups of its own', () => {
  const rows = [item('1', 'a'), item('2', 'a'), item('3'), item('4', 'b'), item('5', 'a')];
  const groups = groupsOf(rows, { before: false, after: false });
  expect(groups.map(({ clientId, items }) => [clientId, items.length])).toEqual([
    ['a', 2],
    [undefined, 1],
    ['b', 1],
    ['a', 1],
  ]);
  expect(groups.every(({ isWhole }) => isWhole)).toBe(true);
  expect(groupsOf([], { before: true, after: true })).toEqual([]);
});

test('a group that goes on beside the page does not say how many rows it has', () => {
  const rows = [item('1', 'a'), item('2', 'b'), item('3', 'c')];
  expect(groupsOf(rows, { before: true, after: true }).map(({ isWhole }) => isWhole)).toEqual([
    false,
    true,
    false,
  ]);
});

test('the age of a row is in whole days, and long from two weeks on', () => {
  const now = Date.UTC(2026, 10, 28);
  const ago = (days: number) => ageOf('en-us', now - days * 86_400_000, now);
  expect(ago(0.9)).toEqual({ days: 0, text: 'Today', isOld: false });
  expect(ago(1.5).text).toBe('1 day');
  expect(ago(13.9)).toMatchObject({ days: 13, isOld: false });
  expect(ago(14)).toMatchObject({ text: '14 days', isOld: true });
  expect(ago(-1).days).toBe(0);
});
