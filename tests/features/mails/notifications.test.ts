import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { addComment } from '#features/comments/comments.server.ts';
import { gridQueryOf } from '#features/grids/define.server.ts';
import { readGrid } from '#features/grids/reading.server.ts';
import { mailOf, resendMail } from '#features/mails/mails.server.ts';
import { mailsGrid } from '#features/mails/mails-grid.server.ts';
import {
  notificationsOf,
  saveNotifications,
  unsubscribe,
  unsubscribingOf,
} from '#features/mails/notifications.server.ts';
import type { NotificationInput } from '#features/mails/notifications.ts';
import type { Actor, Session } from '#features/people/people.ts';
import { askAgain, openShare } from '#features/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sending.server.ts';
import { announceUploads } from '#features/uploads/notifications.server.ts';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { endOfQuietHours } from '#platform/mail-delivery.server.ts';
import { isOptional, MAIL_KINDS, OPTIONAL_KINDS, SECRET_KINDS, type MailKind } from '#platform/mail-kinds.ts';
import { firmMail, mailedPage } from '#platform/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail.server.ts';
import { unsubscribeToken } from '#platform/unsubscribing.server.ts';
import { firmOf } from '#features/firms/firms.server.ts';
import { makeCast, standAt, startMailServer, uploadAs } from '../../support/cast.ts';

const { ada, cleo, sam, zoe, firmOne, clientA, projectA } = await makeCast();
const firm = await firmOf(firmOne);
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await db().deleteFrom('notification_opt_outs').execute();
  await db().deleteFrom('quiet_hours').execute();
  await db().deleteFrom('mails').execute();
  await mailServer.discard();
  await mailServer.deliver();
  standAt(nextNoon());
});

/** Noon of the next day in New York, where the people of these tests are. */
const ZONE = 'America/New_York';
const localTime = (instant: number) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(ZONE);
const nextNoon = (): number => localTime(now() + DAY).with({ hour: 12, minute: 0 }).epochMilliseconds;
const EVENING = 10 * HOUR;

const sessionOf = (actor: Actor): Session => ({
  id: 'session',
  actor,
  expiresAt: now() + DAY,
  amr: ['pwd'],
  authenticatedAt: now(),
  termsDue: false,
});
const choose = (actor: Actor, changed: Partial<NotificationInput>) =>
  saveNotifications(sessionOf(actor), {
    kinds: [...OPTIONAL_KINDS],
    isQuiet: false,
    from: 20,
    until: 7,
    timeZone: ZONE,
    ...changed,
  });
const without = (kind: MailKind) => OPTIONAL_KINDS.filter((optional) => optional !== kind);
const emails = (query: Record<string, string> = {}) =>
  readGrid(mailsGrid, sam, gridQueryOf(mailsGrid, mailsGrid.parameters.parse(query)));
const refused = (code: string): unknown => expect.objectContaining({ code });
const mailTo = ({ contactId, emailAddress }: Actor, kind: MailKind, title = 'A title'): Mail =>
  firmMail({
    about: { kind, contactId, clientId: clientA },
    firm,
    to: emailAddress,
    lang: 'en-us',
    title,
    text: ['A line.'],
    button: {
      label: 'Open',
      link: mailedPage('en-us', 'documents', { companyId: firmOne, clientId: clientA }),
    },
    reason: 'A reason.',
  });
const queue = (actor: Actor, kind: MailKind, title?: string) =>
  queueMail(mailTo(actor, kind, title), newId('test'));
const subjects = async (actor: Actor): Promise<(string | undefined)[]> =>
  (await mailServer.deliver())
    .filter(
      ({ recipients }) =>
        recipients[0] === actor.emailAddress.toLowerCase() || recipients[0] === actor.emailAddress,
    )
    .map(({ mail }) => mail.subject);

test.each(OPTIONAL_KINDS)('emails of the kind %s can be turned off, alone', async (kind) => {
  await choose(ada, { kinds: without(kind) });
  for (const optional of OPTIONAL_KINDS) await queue(ada, optional, optional);
  expect((await subjects(ada)).toSorted()).toEqual(without(kind).toSorted());
  await queue(cleo, kind, 'for someone else');
  expect(await subjects(cleo)).toEqual(['for someone else']);
});

test.each(MAIL_KINDS.filter((kind) => !isOptional(kind)))(
  'emails of the kind %s are necessary: they are sent at night and to those who turned off everything',
  async (kind) => {
    await choose(ada, { kinds: [], isQuiet: true });
    standAt(now() + EVENING);
    await queue(ada, kind, kind);
    const [sent] = await mailServer.deliver();
    expect(sent?.mail.subject).toBe(kind);
    expect(sent?.raw).not.toMatch(/unsubscribe/i);
  },
);

test('an email that is held is sent with its text later, so no optional kind has secrets', () => {
  expect(OPTIONAL_KINDS.filter((kind) => SECRET_KINDS.has(kind))).toEqual([]);
});

test('every email is queued by the function that asks what its recipient chose', () => {
  const files = fs
    .readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('platform/mail.server.ts'));
  const others = files.filter((file) =>
    /enqueue\(\s*'mail'|recordMail\(mail, key, heldUntil\)\)|\.insertInto\('mails'\)/.test(
      fs.readFileSync(path.join('src', file), 'utf8'),
    ),
  );
  expect(others).toEqual(['platform/mail-log.server.ts']);
});

test('contacts who turned off documents, and staff who turned off uploads, are not told about them', async () => {
  await choose(ada, { kinds: without('documents') });
  const published = await uploadAs(sam, projectA, 'Published.pdf', 'published');
  await announceUploads(sam, projectA.id, [published.id]);
  standAt(now() + HOUR);
  const told = (await mailServer.deliver()).flatMap(({ recipients }) => recipients);
  expect(told).toEqual(['cleo@one.example']);
  await choose(sam, { kinds: without('documents') });
  const uploaded = await uploadAs(cleo, projectA, 'Uploaded.pdf', 'uploaded');
  await announceUploads(cleo, projectA.id, [uploaded.id]);
  standAt(now() + HOUR);
  expect(await mailServer.deliver()).toEqual([]);
});

test('those who turned off comments are not told about them', async () => {
  await choose(ada, { kinds: without('comment') });
  const { id } = await uploadAs(sam, projectA, 'Commented.pdf', 'c');
  await addComment(sam, { documentId: id, text: 'Please check.' });
  standAt(now() + HOUR);
  expect((await mailServer.deliver()).flatMap(({ recipients }) => recipients)).toEqual(['cleo@one.example']);
});

test('who turned off requests for links gets none, but hears that a link is disabled', async () => {
  await choose(sam, { kinds: without('share-request') });
  const { id } = await uploadAs(sam, projectA, 'Shared.pdf', 's');
  const recipients = [{ emailAddress: 'desk@bank.example' }];
  const sharedItems = [{ containerType: 'Project', containerId: projectA.id, documentId: id } as const];
  const share = async (code?: string) => {
    const overrides = { subject: 'The return', body: '' };
    await shareDocuments(
      sam,
      {
        expirationPeriod: 'AfterOneDay',
        overrides,
        recipients,
        sharedItems,
        ...(code !== undefined && { authorizationCode: code }),
      },
      'en-us',
    );
    const [sent] = await mailServer.deliver();
    return /share\/([\w-]{43})/.exec(sent?.mail.text ?? '')?.[1] ?? '';
  };
  const token = await share();
  standAt(now() + 2 * DAY);
  await askAgain(token, '192.0.2.9');
  expect(await mailServer.deliver()).toEqual([]);
  const locked = await share('474747');
  for (let tries = 0; tries < 40; tries += 1) {
    await openShare(locked, '000000', '192.0.2.9').catch(() => undefined);
    standAt(now() + HOUR / 3);
  }
  expect(await subjects(sam)).toEqual(['Link locked after too many wrong codes']);
});

test.each([
  ['2026-03-02T19:59', 20, 7, undefined],
  ['2026-03-02T20:00', 20, 7, '2026-03-03T07:00'],
  ['2026-03-03T06:59', 20, 7, '2026-03-03T07:00'],
  ['2026-03-03T07:00', 20, 7, undefined],
  ['2026-03-02T12:30', 12, 14, '2026-03-02T14:00'],
  ['2026-03-02T14:00', 12, 14, undefined],
  ['2026-03-02T23:30', 23, 0, '2026-03-03T00:00'],
  // clocks go forward at two, so that the night is an hour shorter
  ['2026-03-07T22:00', 22, 6, '2026-03-08T06:00'],
  // there is no half past two in that night: the hours end when clocks show three
  ['2026-03-08T01:30', 22, 2, '2026-03-08T03:00'],
])('at %s, quiet hours from %i to %i end at %s', (local, from, until, end) => {
  const at = (time: string): number =>
    Temporal.PlainDateTime.from(time).toZonedDateTime(ZONE).epochMilliseconds;
  expect(endOfQuietHours({ from, until, timeZone: ZONE }, at(local))).toBe(
    end === undefined ? undefined : at(end),
  );
});

test('optional emails of the quiet hours are sent as one per kind when these end, with every link', async () => {
  await choose(ada, { isQuiet: true });
  standAt(now() + EVENING);
  await queue(ada, 'documents', 'The first notification');
  await queue(ada, 'documents', 'The second notification');
  await queue(ada, 'comment', 'A comment');
  await queue(cleo, 'documents', 'For someone without quiet hours');
  expect((await mailServer.deliver()).map(({ mail }) => mail.subject)).toEqual([
    'For someone without quiet hours',
  ]);
  standAt(localTime(now() + DAY).with({ hour: 6, minute: 59 }).epochMilliseconds);
  expect(await mailServer.deliver()).toEqual([]);
  standAt(now() + 2 * 60_000);
  const sent = await mailServer.deliver();
  expect(sent.map(({ mail }) => mail.subject).toSorted()).toEqual([
    '2 notifications from Maple & Hart',
    'A comment',
  ]);
  const both = sent.find(({ mail }) => mail.subject?.startsWith('2'))?.mail;
  for (const part of [both?.text, both?.html]) {
    expect(part).toContain('The first notification');
    expect(part).toContain('The second notification');
  }
  const { rows: mails } = await emails({ searchTerm: 'ada@one.example' });
  expect(mails.map(({ state }) => state)).toEqual(['accepted', 'accepted']);
  const merged = mails.find(({ kind }) => kind === 'documents');
  expect(both?.text?.match(new RegExp(`&mail=${merged?.mailId}`, 'g'))).toHaveLength(3);
  standAt(now() + DAY);
  expect(await mailServer.deliver()).toEqual([]);
});

test('staff see until when an email waits, and one that its recipient turns off meanwhile is not sent', async () => {
  await choose(ada, { isQuiet: true });
  standAt(now() + EVENING);
  await queue(ada, 'comment');
  const [held] = (await emails()).rows;
  const { heldUntil = 0 } = await mailOf(sam, held?.mailId ?? '');
  expect(localTime(heldUntil).hour).toBe(7);
  await choose(ada, { kinds: without('comment'), isQuiet: true });
  standAt(heldUntil);
  expect(await mailServer.deliver()).toEqual([]);
  expect((await mailOf(sam, held?.mailId ?? '')).state).toBe('canceled');
});

test('an email to someone who turned it off is not sent again, and staff are told why', async () => {
  await queue(ada, 'comment');
  await mailServer.deliver();
  const [sent] = (await emails()).rows;
  await choose(ada, { kinds: [] });
  await expect(resendMail(sam, sent?.mailId ?? '')).rejects.toMatchObject({
    code: 'FORBIDDEN',
    details: { because: 'turned-off' },
  });
  expect((await emails()).total).toBe(1);
});

test('what a person chose is stored for them alone, and is in the audit log', async () => {
  const chosen = { kinds: without('comment'), isQuiet: true, from: 22, until: 6, timeZone: 'Europe/Lisbon' };
  await choose(ada, chosen);
  expect(await notificationsOf(ada, 'UTC')).toEqual(chosen);
  expect(await notificationsOf(cleo, 'UTC')).toMatchObject({
    kinds: OPTIONAL_KINDS,
    isQuiet: false,
    timeZone: 'UTC',
  });
  const entry = await db()
    .selectFrom('audit')
    .select(['actor', 'target'])
    .where('action', '=', 'notifications.change')
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow();
  expect(entry).toEqual({ actor: ada.contactId, target: ada.contactId });
});

test('staff who view as a contact cannot choose for them', async () => {
  const viewing = { staff: sam, until: now() + HOUR };
  const input = { kinds: [], isQuiet: false, from: 20, until: 7, timeZone: ZONE };
  await expect(saveNotifications({ ...sessionOf(ada), viewing }, input)).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  expect((await notificationsOf(ada, 'UTC')).kinds).toEqual(OPTIONAL_KINDS);
});

test('an optional email has a link that turns off its kind, which opening the link does not', async () => {
  await queue(ada, 'documents');
  const [sent] = await mailServer.deliver();
  // a folded line begins with the address
  const url = /^List-Unsubscribe:(?:\r\n)? <(\S+)>\r$/m.exec(sent?.raw ?? '')?.[1] ?? 'no header';
  expect(sent?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  expect(sent?.mail.text).toContain(`Turn off these emails: ${url}`);
  expect(sent?.mail.html).toContain(`href="${url}"`);
  const token = url.split('/').at(-1) ?? '';
  expect(await unsubscribingOf(token)).toMatchObject({ kind: 'documents', isTurnedOff: false });
  expect((await notificationsOf(ada, 'UTC')).kinds).toEqual(OPTIONAL_KINDS);
  await unsubscribe(token, '192.0.2.9');
  await unsubscribe(token, '192.0.2.9');
  expect((await notificationsOf(ada, 'UTC')).kinds).toEqual(without('documents'));
  expect((await notificationsOf(cleo, 'UTC')).kinds).toEqual(OPTIONAL_KINDS);
  const entries = await db()
    .selectFrom('audit')
    .select(['company_id', 'actor'])
    .where('action', '=', 'notifications.unsubscribe')
    .execute();
  expect(entries).toEqual([{ company_id: firmOne, actor: ada.contactId }]);
});

test('a token that was changed, for another person, kind or firm, turns off nothing', async () => {
  const token = unsubscribeToken(ada.contactId, 'documents');
  const [, , signature = ''] = token.split('.');
  for (const forged of [
    `${cleo.contactId}.documents.${signature}`,
    `${zoe.contactId}.documents.${signature}`,
    `${ada.contactId}.comment.${signature}`,
    `${ada.contactId}.security.${signature}`,
    `${ada.contactId}.documents.`,
    `${token}.x`,
    'none',
    '',
  ])
    await expect(unsubscribe(forged, '192.0.2.9'), forged).rejects.toEqual(refused('NOT_FOUND'));
  expect(await db().selectFrom('notification_opt_outs').selectAll().execute()).toEqual([]);
});

test('requests to turn off emails are limited for a network', async () => {
  const tried = Array.from({ length: 121 }, () => unsubscribe('none', '198.51.100.7'));
  const codes = (await Promise.allSettled(tried)).map((result) =>
    result.status === 'rejected' ? (result.reason as { code: string }).code : 'done',
  );
  expect(codes.filter((code) => code === 'TOO_MANY')).toHaveLength(1);
  await unsubscribe(unsubscribeToken(ada.contactId, 'comment'), '203.0.113.7');
});
