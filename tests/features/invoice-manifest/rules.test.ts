import { describe, expect, test } from 'vitest';
import {
  asLine,
  daysUntil,
  lastDayFor,
  nextReminderOn,
  nextSequence,
  problemWith,
  problemWithJustification,
  statusBy,
  type ManifestEvent,
} from '#features/brazil/invoice-manifest/rules.ts';

const at = (day: string): number => Date.parse(`${day}T12:00:00-03:00`);
const registered = (...events: readonly (readonly [ManifestEvent, number, string])[]) =>
  events.map(([event, sequence, day]) => ({ event, sequence, registeredAt: at(day) }));

describe('the last day of an invoice', () => {
  test.each([
    ['180 days after its authorization', '2026-05-31T12:00:00-03:00', '2026-11-27'],
    ['by the day of Brasília, before midnight there', '2026-05-31T23:59:59-03:00', '2026-11-27'],
    ['by the day of Brasília, after midnight there', '2026-06-01T00:00:00-03:00', '2026-11-28'],
    ['by the day of Brasília, whatever the offset that is written', '2026-06-01T02:59:59Z', '2026-11-27'],
    ['over a leap day', '2027-12-01T12:00:00-03:00', '2028-05-29'],
  ])('is %s', (_, authorizedAt, lastDay) => {
    expect(lastDayFor(Date.parse(authorizedAt))).toBe(lastDay);
  });

  test('is included, and the next day is too late', () => {
    const facts = { isCancelled: false, lastDay: '2026-11-27', registered: [] };
    expect(problemWith('confirmed', facts, '2026-11-27')).toBeUndefined();
    expect(problemWith('confirmed', facts, '2026-11-28')).toBe('expired');
    expect([daysUntil('2026-11-27', '2026-11-27'), daysUntil('2026-11-27', '2026-11-28')]).toEqual([0, -1]);
  });

  test('is announced 30, 10 and 3 days before it', () => {
    const days: string[] = [];
    for (
      let day = nextReminderOn('2026-11-27', '2026-05-31');
      day !== '';
      day = nextReminderOn('2026-11-27', day)
    )
      days.push(day);
    expect(days).toEqual(['2026-10-28', '2026-11-17', '2026-11-24']);
  });
});

describe('what is registered', () => {
  test.each([
    ['nothing', registered(), 'pending'],
    ['awareness', registered(['aware', 1, '2026-11-01']), 'aware'],
    [
      'a decision after awareness',
      registered(['aware', 1, '2026-11-01'], ['unknown', 1, '2026-11-02']),
      'unknown',
    ],
    [
      'the last decision, whatever the order in which they are known',
      registered(['confirmed', 1, '2026-11-05'], ['notDone', 1, '2026-11-03']),
      'confirmed',
    ],
    [
      'a decision that was made again',
      registered(
        ['confirmed', 1, '2026-11-01'],
        ['notDone', 1, '2026-11-02'],
        ['confirmed', 2, '2026-11-03'],
      ),
      'confirmed',
    ],
  ] as const)('%s says where the invoice stands', (_, events, status) => {
    expect(statusBy(events)).toBe(status);
  });

  const open = { isCancelled: false, lastDay: '2026-11-27' };
  test.each([
    ['awareness twice', 'aware', registered(['aware', 1, '2026-11-01']), 'awareAlready'],
    ['awareness after a decision', 'aware', registered(['confirmed', 1, '2026-11-01']), 'awareAfterDecision'],
    [
      'a decision that counts already',
      'confirmed',
      registered(['confirmed', 1, '2026-11-01']),
      'sameAlready',
    ],
    [
      'a decision for the third time',
      'confirmed',
      registered(
        ['confirmed', 1, '2026-11-01'],
        ['notDone', 1, '2026-11-02'],
        ['confirmed', 2, '2026-11-03'],
        ['unknown', 1, '2026-11-04'],
      ),
      'twiceAlready',
    ],
    ['another decision', 'notDone', registered(['confirmed', 1, '2026-11-01']), undefined],
    ['a decision after awareness', 'confirmed', registered(['aware', 1, '2026-11-01']), undefined],
  ] as const)('%s is allowed or not', (_, event, events, problem) => {
    expect(problemWith(event, { ...open, registered: events }, '2026-11-27')).toBe(problem);
  });

  test('a cancelled invoice takes nothing more', () => {
    expect(problemWith('aware', { ...open, isCancelled: true, registered: [] }, '2026-11-01')).toBe(
      'cancelled',
    );
  });

  test('each kind of event has sequences of its own', () => {
    const events = registered(['confirmed', 1, '2026-11-01'], ['notDone', 1, '2026-11-02']);
    expect([nextSequence('confirmed', events), nextSequence('unknown', events)]).toEqual([2, 1]);
  });
});

describe('a justification', () => {
  test.each([
    ['is missing', 'notDone', '', 'missing'],
    ['has 14 characters', 'notDone', 'x'.repeat(14), 'short'],
    ['has 15 characters', 'notDone', 'x'.repeat(15), undefined],
    ['has 255 characters', 'notDone', 'ç'.repeat(255), undefined],
    ['has 256 characters', 'notDone', 'x'.repeat(256), 'long'],
    ['has an emoji', 'notDone', 'A mercadoria não chegou 😡', 'characters'],
    ['has curly quotation marks', 'notDone', 'A mercadoria “fresca” não chegou', 'characters'],
    ['is given for an unknown operation', 'unknown', 'Nunca compramos deles “😡”', undefined],
    ['is given for a confirmation', 'confirmed', 'Chegou tudo bem por aqui', 'notTaken'],
    ['is given for awareness', 'aware', 'Chegou tudo bem por aqui', 'notTaken'],
    ['is none for a confirmation', 'confirmed', '', undefined],
  ] as const)('that %s is judged as the authority does', (_, event, text, problem) => {
    expect(problemWithJustification(event, text)).toBe(problem);
  });

  test('is one line without blanks at its ends', () => {
    expect(asLine('  A carga\r\n voltou\tinteira \n')).toBe('A carga voltou inteira');
  });
});
