import { expect, test } from 'vitest';
import {
  mergeDecision,
  type Change,
  type Editor,
  type StoredAnswer,
} from '#features/tasks/answer-editor/merging.ts';

const mine = (sequence: number): Editor => ({ tab: 'this-tab', sequence });
const other = (sequence: number): Editor => ({ tab: 'other-tab', sequence });

const stored = (value: unknown, version: number, editor: Editor): StoredAnswer => ({
  path: 'year.name',
  value,
  version,
  changedAt: 0,
  changedBy: 'ada',
  editor,
});

const change = (value: Change['value'], base: number, editor = mine(5)): Change => ({
  path: 'year.name',
  value,
  base,
  editor,
});

test('a change that is based on what is stored is written', () => {
  expect(mergeDecision(undefined, undefined, change('Ana', 0))).toEqual({ kind: 'write', value: 'Ana' });
  expect(mergeDecision(stored('Ana', 3, other(9)), undefined, change('Bia', 3))).toEqual({
    kind: 'write',
    value: 'Bia',
  });
});

test('a change of the same tab needs no base, and a late one is written nowhere', () => {
  expect(mergeDecision(stored('Ana', 3, mine(4)), undefined, change('Bia', 1))).toEqual({
    kind: 'write',
    value: 'Bia',
  });
  expect(mergeDecision(stored('Ana', 3, mine(6)), undefined, change('Bia', 3))).toEqual({
    kind: 'superseded',
  });
});

test('a change that meets another one is a conflict, unless both are the same', () => {
  const before = stored('Ana', 3, other(9));
  expect(mergeDecision(before, undefined, change('Bia', 2))).toEqual({ kind: 'conflict' });
  expect(mergeDecision(before, undefined, change('Ana', 2))).toEqual({ kind: 'same', value: 'Ana' });
  expect(mergeDecision(stored(null, 3, other(9)), undefined, change(null, 2))).toEqual({
    kind: 'same',
    value: null,
  });
});

test('a form that is posted without versions is written', () => {
  const posted: Change = { path: 'year.name', value: 'Bia' };
  expect(mergeDecision(stored('Ana', 3, other(9)), undefined, posted)).toEqual({
    kind: 'write',
    value: 'Bia',
  });
});

test('what a tab enters after a conflict decides it, and what it entered before does not', () => {
  const before = stored('Ana', 3, other(9));
  const kept = { keptId: 'kept_1', sequence: 5 };
  expect(mergeDecision(before, kept, change('Bia', 3, mine(6)))).toEqual({
    kind: 'write',
    value: 'Bia',
    decides: 'kept_1',
  });
  expect(mergeDecision(before, kept, change('Ana', 3, mine(6)))).toEqual({
    kind: 'same',
    value: 'Ana',
    decides: 'kept_1',
  });
  expect(mergeDecision(before, kept, change('Cea', 3, mine(4)))).toEqual({ kind: 'superseded' });
  expect(mergeDecision(before, kept, change('Cea', 2, mine(5)))).toEqual({ kind: 'conflict' });
});

const ROW_A = 'aaaaaaaaaaaa';
const ROW_B = 'bbbbbbbbbbbb';
const ROW_C = 'cccccccccccc';

test('rows that two people add and remove are merged', () => {
  const rows = (value: string[], known: string[], base: number): Change => ({
    path: 'year.children#order',
    value,
    known,
    base,
    editor: mine(5),
  });
  const both = stored([ROW_A, ROW_B], 2, other(9));
  // this tab knows A alone, and adds C; the other one has added B
  expect(mergeDecision(both, undefined, rows([ROW_A, ROW_C], [ROW_A], 1))).toEqual({
    kind: 'write',
    value: [ROW_A, ROW_B, ROW_C],
  });
  // this tab removes A
  expect(mergeDecision(both, undefined, rows([], [ROW_A], 1))).toEqual({ kind: 'write', value: [ROW_B] });
  // what is sent again changes nothing
  expect(mergeDecision(both, undefined, rows([ROW_A, ROW_B], [ROW_A], 1))).toEqual({
    kind: 'same',
    value: [ROW_A, ROW_B],
  });
  // before the first version no row could be removed
  expect(mergeDecision(stored([ROW_A], 1, other(9)), undefined, rows([ROW_B], [ROW_A, ROW_B], 0))).toEqual({
    kind: 'write',
    value: [ROW_A, ROW_B],
  });
});
