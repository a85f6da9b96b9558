import { expect, test } from 'vitest';
import fc from 'fast-check';
import { newReferenceCode, REFERENCE_CODE } from '#features/clients/issue-reports/codes.ts';
import { redact } from '#features/clients/issue-reports/redaction.ts';
import {
  answerReport,
  assertConfirmed,
  closeReport,
  listReports,
  ownReport,
  removeOldReports,
  reportIssue,
  reportOfFirm,
} from '#features/clients/issue-reports/reports.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, moveClock } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, sam, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

const report = (actor: Actor, more: object = {}): Promise<string> =>
  reportIssue(sessionAs(actor), {
    about: 'portal',
    source: '/clientcenter/en-us/documents/*',
    description: 'The list is empty.\nIt was not yesterday.',
    details: ['Page: /documents/*'],
    ...more,
  });
const waiting = async (): Promise<string[]> =>
  (await listInbox(olga, inboxQuery.parse({ of: 'mine', kind: 'issue' }))).items.map(({ name }) => name);
const mailsTo = (actor: Actor): Promise<{ subject: string }[]> =>
  db()
    .selectFrom('mails')
    .select('subject')
    .where('contact_id', '=', actor.contactId)
    .where('kind', '=', 'issue')
    .execute();

test('a report is confirmed by email, waits for the firm, and is answered', async () => {
  const code = await report(ada);
  expect(code).toMatch(REFERENCE_CODE);
  expect(await ownReport(ada, code)).toMatchObject({
    state: 'new',
    description: 'The list is empty.\nIt was not yesterday.',
    answer: undefined,
  });
  expect(await mailsTo(ada)).toHaveLength(1);
  expect(await waiting()).toEqual([code]);
  expect((await listReports(olga, 0)).reports).toMatchObject([
    { code, author: 'Ada Amber', summary: 'The list is empty.', state: 'new' },
  ]);

  await answerReport(olga, code, 'Look into the folder 2026.');
  expect(await waiting()).toEqual([]);
  expect(await ownReport(ada, code)).toMatchObject({
    state: 'answered',
    answer: 'Look into the folder 2026.',
  });
  expect(await mailsTo(ada)).toHaveLength(2);
});

test('a report is nobody else’s, and the firm’s list is for those who manage it', async () => {
  const code = await report(ada);
  await expect(ownReport(ben, code)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(listReports(sam, 0)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(reportOfFirm(sam, code)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(reportOfFirm(ada, code)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(closeReport(ada, code)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(reportOfFirm(olga, 'k7m2p-9xw4t')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await closeReport(olga, code);
  expect(await ownReport(ada, code)).toMatchObject({ state: 'closed' });
});

test('staff who view as a contact report as both, and the contact hears nothing', async () => {
  const code = await reportIssue(impersonating(ben, olga), {
    about: 'firm',
    source: '/',
    description: 'The heading is cut.',
    details: [],
  });
  const row = await db()
    .selectFrom('issue_reports')
    .selectAll()
    .where('code', '=', code)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ contact_id: ben.contactId, viewed_by: olga.contactId });
  expect(await mailsTo(ben)).toEqual([]);
});

test('a code is taken once, and an hour has room for five reports', async () => {
  const code = newReferenceCode();
  await report(ben, { code });
  await expect(report(ben, { code })).rejects.toMatchObject({ code: 'ALREADY_DONE' });
  for (let n = 0; n < 3; n++) await report(ben);
  await expect(report(ben)).rejects.toMatchObject({ code: 'TOO_MANY' });
});

test('the confirmation goes to the address of the author alone, and within a day', async () => {
  const code = await report(sam);
  await assertConfirmed(sam, sam.emailAddress.toUpperCase(), code);
  await expect(assertConfirmed(sam, ada.emailAddress, code)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(assertConfirmed(sam, sam.emailAddress, 'k7m2p-9xw4t')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(assertConfirmed(ada, ada.emailAddress, code)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  moveClock(DAY + 1);
  await expect(assertConfirmed(sam, sam.emailAddress, code)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

const [mia, lev] = [
  await person(firmOne, 'Mia Member', 'mia@one.example', { role: 'member' }),
  await person(firmOne, 'Lev Member', 'lev@one.example', { role: 'member' }),
];

/** What the call of the log answers to a report. */
const logged = async (actor: Actor, more: { id?: string; description?: string; logs?: string[] }) => {
  const { id = newReferenceCode(), description = 'It is slow.', logs = [] } = more;
  const response = await apiAs(actor)('POST', '/api/logging/v1/log', {
    json: {
      version: 1,
      items: [
        {
          specversion: '1.0',
          type: 'issue',
          source: '/documents/*',
          id,
          time: '2026-11-26T01:00:00.000Z',
          contenttype: 'application/json',
          data: { description, logs },
        },
      ],
    },
  });
  return { status: response.status, code: id };
};

test('a report that is too large, empty or known is refused, and whatever else is wrong with it is mended', async () => {
  const statusOf = async (more: Parameters<typeof logged>[1]) => (await logged(mia, more)).status;
  expect(await statusOf({ logs: Array.from({ length: 50 }, () => 'x'.repeat(100_000)) })).toBe(413);
  for (const description of ['', ' \n\t ', '\0\x1b ', 'x'.repeat(4001)])
    expect(await statusOf({ description }), JSON.stringify(description.slice(0, 9))).toBe(422);
  for (const id of ['', 'k7m2p', 'K7M2P-9XW4T', 'k7m2p-9xw4i', 'k7m2p-9xw4t-aaaaa', '../../../etc'])
    expect(await statusOf({ id }), id).toBe(422);

  const long = await logged(mia, { logs: Array.from({ length: 10_000 }, (_, i) => `Line ${i % 90}`) });
  expect(long.status).toBe(200);
  const { details } = await ownReport(mia, long.code);
  expect(details).toHaveLength(50);
  expect(details.at(-1)).toBe('Line 49');
  expect(await statusOf({ id: long.code }), 'the same code again').toBe(409);

  const unreadable = {
    description: ' It\0 is\x1b[31m red.\r\nAnd\tslow. ',
    logs: ['a\0b\nc\u0085d', 'So slow. '.repeat(99)],
  };
  const { status, code } = await logged(lev, unreadable);
  expect(status).toBe(200);
  expect(await ownReport(lev, code)).toMatchObject({
    description: 'It is[31m red.\r\nAnd\tslow.',
    details: ['a b c d', 'So slow. '.repeat(99).slice(0, 300)],
  });
});

test('details are stored without names, addresses and numbers', async () => {
  const code = await report(olga, {
    details: [
      'Page: /documents/*',
      'Olga Owner of Maple & Hart, olga@one.example, 123.456.789-00, R$ 1.200,00',
      'TypeError /_astro/kit.abc.js:1:23456',
    ],
  });
  expect((await ownReport(olga, code)).details).toEqual([
    'Page: /documents/*',
    '‹…› of ‹…›, ‹…›, ‹…›, ‹…›',
    'TypeError /_astro/kit.abc.js:1:23456',
  ]);
});

test('nothing personal is left of a line, and striking it out again changes nothing', () => {
  const canary = fc.oneof(
    fc.emailAddress(),
    fc.stringMatching(/^\d{4,19}$/),
    fc.stringMatching(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/),
    fc.stringMatching(/^client_[0-9a-f]{32}$/),
    fc.stringMatching(/^[0-9a-f]{16,64}$/),
    fc.constantFrom('Amber Bakery', 'Ada Amber'),
  );
  fc.assert(
    fc.property(fc.string(), canary, fc.string(), (before, secret, after) => {
      const clean = redact(`${before} ${secret} ${after}`, ['Amber Bakery', 'Ada Amber']);
      expect(clean).not.toContain(secret);
      expect(redact(clean, ['Amber Bakery', 'Ada Amber'])).toBe(clean);
    }),
    { numRuns: 2000 },
  );
});

test('reports are deleted 90 days after they were answered or closed, and not before', async () => {
  const count = async (): Promise<number> =>
    (await db().selectFrom('issue_reports').select('code').execute()).length;
  const all = await count();
  moveClock(80 * DAY);
  await removeOldReports();
  expect(await count()).toBe(all);
  moveClock(11 * DAY);
  await removeOldReports();
  expect(await count(), 'two were settled').toBe(all - 2);
});
