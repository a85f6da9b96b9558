import { describe, expect, test } from 'vitest';
import {
  outcomeAfter,
  REOPEN_DAYS,
  requestCourse,
  type RequestAction,
  type RequestFacts,
  type RequestStatus,
} from '#features/brazil/service-requests/course.ts';
import { lapseStage } from '#features/brazil/service-requests/deadlines.ts';
import { courseRefusal, type Side } from '#features/tasks/answer-editor/course.ts';

/** The course a second time, row by row: what leads from where to where, and who does it. */
const ROWS: readonly [RequestStatus, RequestAction, readonly Side[], RequestStatus][] = [
  ['Draft', 'save', ['client'], 'Draft'],
  ['Draft', 'submit', ['client'], 'WaitingForAnswer'],
  ['Draft', 'delete', ['client'], 'Draft'],
  ['Draft', 'expire', ['system'], 'Draft'],
  ['WaitingForAnswer', 'open', ['firm'], 'WaitingForAnswer'],
  ['WaitingForAnswer', 'take-back', ['client'], 'Draft'],
  ['WaitingForAnswer', 'ask', ['firm'], 'WaitingForClient'],
  ['WaitingForAnswer', 'return', ['firm'], 'WaitingForCorrection'],
  ['WaitingForAnswer', 'reply', ['firm'], 'Replied'],
  ['WaitingForAnswer', 'decline', ['firm'], 'Replied'],
  ['WaitingForAnswer', 'cancel', ['client', 'firm'], 'Replied'],
  ['WaitingForClient', 'save', ['client'], 'WaitingForClient'],
  ['WaitingForClient', 'answer', ['client'], 'WaitingForAnswer'],
  ['WaitingForClient', 'reply', ['firm'], 'Replied'],
  ['WaitingForClient', 'decline', ['firm'], 'Replied'],
  ['WaitingForClient', 'cancel', ['client', 'firm'], 'Replied'],
  ['WaitingForClient', 'lapse', ['system'], 'Replied'],
  ['WaitingForCorrection', 'save', ['client'], 'WaitingForCorrection'],
  ['WaitingForCorrection', 'resubmit', ['client'], 'WaitingForAnswer'],
  ['WaitingForCorrection', 'reply', ['firm'], 'Replied'],
  ['WaitingForCorrection', 'decline', ['firm'], 'Replied'],
  ['WaitingForCorrection', 'cancel', ['client', 'firm'], 'Replied'],
  ['WaitingForCorrection', 'lapse', ['system'], 'Replied'],
  ['Replied', 'reopen', ['client', 'firm'], 'WaitingForAnswer'],
  ['Replied', 'confirm-reading', ['client'], 'Replied'],
];

const ACTIONS: readonly RequestAction[] = [...new Set(ROWS.map(([, action]) => action))];
const SIDES: readonly Side[] = ['client', 'firm', 'system'];

const facts = (status: RequestStatus, more: Partial<RequestFacts> = {}): RequestFacts => ({
  status,
  isDeleted: false,
  isOpened: false,
  isBegunByFirm: false,
  hasOpenDeadline: false,
  daysSinceReply: 0,
  hasMinimum: false,
  isMinimum: false,
  ...more,
});

const refusal = (each: RequestFacts, action: RequestAction, side: Side) =>
  courseRefusal(requestCourse, each, action, side);

describe.each(requestCourse.statuses)('a request that is %s', (status) => {
  test.each(ACTIONS)('allows %s to those who do it, and to nobody else', (action) => {
    const row = ROWS.find(([from, what]) => from === status && what === action);
    const allowed = SIDES.filter((side) => refusal(facts(status), action, side) === undefined);
    expect(allowed).toEqual(SIDES.filter((side) => row?.[2].includes(side)));
    if (row) expect(requestCourse.next(action, facts(status))).toBe(row[3]);
  });
});

test('what staff have opened can neither be taken back nor canceled by the client', () => {
  const opened = facts('WaitingForAnswer', { isOpened: true });
  expect(refusal(opened, 'take-back', 'client')).toBe('OPENED');
  expect(refusal(opened, 'cancel', 'client')).toBe('OPENED');
  expect(refusal(opened, 'cancel', 'firm')).toBeUndefined();
});

test('a deleted request is found by nobody, and a draft not by the firm unless it began it', () => {
  for (const side of SIDES)
    for (const action of ACTIONS)
      expect(refusal(facts('Draft', { isDeleted: true }), action, side)).toBe('NOT_FOUND');
  for (const action of ACTIONS) expect(refusal(facts('Draft'), action, 'firm')).toBe('NOT_FOUND');
  const begun = facts('Draft', { isBegunByFirm: true });
  expect(refusal(begun, 'save', 'firm')).toBeUndefined();
  expect(refusal(begun, 'submit', 'firm')).toBe('NOT_POSSIBLE');
});

test('a client reopens a reply within 90 days, but nothing that was declined', () => {
  const at = (daysSinceReply: number) => facts('Replied', { outcome: 'done', daysSinceReply });
  expect(refusal(at(REOPEN_DAYS), 'reopen', 'client')).toBeUndefined();
  expect(refusal(at(REOPEN_DAYS + 1), 'reopen', 'client')).toBe('CLOSED');
  expect(refusal(at(REOPEN_DAYS + 1), 'reopen', 'firm')).toBeUndefined();
  expect(refusal(facts('Replied', { outcome: 'declined' }), 'reopen', 'client')).toBe('CLOSED');
});

test('an admission is sent in two steps: its minimum, then the rest', () => {
  const admission = (status: RequestStatus, isMinimum: boolean) =>
    facts(status, { hasMinimum: true, isMinimum });
  expect(refusal(admission('Draft', false), 'submit-minimum', 'client')).toBeUndefined();
  expect(refusal(facts('Draft'), 'submit-minimum', 'client')).toBe('NOT_POSSIBLE');
  for (const action of ['save', 'submit-rest'] as const) {
    expect(refusal(admission('WaitingForAnswer', true), action, 'client')).toBeUndefined();
    expect(refusal(admission('WaitingForAnswer', false), action, 'client')).toBe('NOT_POSSIBLE');
  }
  expect(requestCourse.next('submit-rest', admission('WaitingForClient', true))).toBe('WaitingForAnswer');
});

test('a request never lapses while a date of the law is open', () => {
  expect(refusal(facts('WaitingForClient', { hasOpenDeadline: true }), 'lapse', 'system')).toBe(
    'NOT_POSSIBLE',
  );
});

test('a change of what was replied to is refused as closed', () => {
  expect(refusal(facts('Replied'), 'save', 'client')).toBe('CLOSED');
  expect(refusal(facts('Replied'), 'open', 'client')).toBe('NOT_POSSIBLE');
});

test('a request that has ended says how', () => {
  expect(ACTIONS.filter((action) => outcomeAfter(action) !== undefined).toSorted()).toEqual(
    ACTIONS.filter(
      (action) => requestCourse.next(action, facts('WaitingForClient')) === 'Replied',
    ).toSorted(),
  );
  expect(outcomeAfter('lapse')).toBe('lapsed');
});

test.each([
  ['2026-12-11', undefined],
  ['2026-12-12', 'half'],
  ['2026-12-23', 'half'],
  ['2026-12-24', 'soon'],
  ['2026-12-27', 'soon'],
  ['2026-12-28', 'over'],
])('on %s, a request that waits since November 27 for 30 days is told: %s', (today, stage) => {
  expect(lapseStage('2026-11-27', '2026-12-27', today)).toBe(stage);
});
