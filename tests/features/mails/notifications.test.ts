import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { addComment } from '#features/documents/comments/comments.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { mailOf, resendMail } from '#features/clients/mails/mails.server.ts';
import { mailsGrid } from '#features/clients/mails/mails-grid.server.ts';
import {
  notificationsOf,
  saveNotifications,
  unsubscribe,
  unsubscribingOf,
} from '#features/clients/mails/notifications.server.ts';
import type { NotificationInput } from '#features/clients/mails/notifications.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { askAgain, openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { endOfQuietHours, nextDailyMail } from '#platform/mail/mail-delivery.server.ts';
import { isOptional, isSecret, mailKinds, optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import type { MailKind } from '#platform/mail/mail-kinds.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { unsubscribeToken } from '#platform/mail/unsubscribing.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { makeCast, standAt, startMailServer, uploadAs } from '../../support/cast.ts';
import '../../../src/app.server.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';
import { withPages } from '../../support/mail-links.ts';

const { ada, cleo, sam, zoe, firmOne, clientA, projectA } = await makeCast();
const firm = await firmOf(firmOne);
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await db().deleteFrom('notification_opt_outs').execute();
  await db().deleteFrom('quiet_hours').execute();
  await db().deleteFrom('daily_mail_kinds').execute();
  await db().deleteFrom('mail_times').execute();
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
    kinds: optionalKinds(),
    isQuiet: false,
    from: 20,
    until: 7,
    timeZone: ZONE,
    ...AT_ONCE,
    ...changed,
  });
const without = (kind: MailKind) => optionalKinds().filter((optional) => optional !== kind);
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

test.each(optionalKinds())('emails of the kind %s can be turned off, alone', async (kind) => {
  await choose(ada, { kinds: without(kind) });
  for (const optional of optionalKinds()) await queue(ada, optional, optional);
  expect((await subjects(ada)).toSorted()).toEqual(without(kind).toSorted());
  await queue(cleo, kind, 'for someone else');
  expect(await subjects(cleo)).toEqual(['for someone else']);
});

test.each(mailKinds().filter((kind) => !isOptional(kind)))(
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
  expect(optionalKinds().filter(isSecret)).toEqual([]);
});

test('every email is queued by the function that asks what its recipient chose', () => {
  const files = fs
    .readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('platform/mail/mail.server.ts'));
  const others = files.filter((file) =>
    /enqueue\(\s*'mail'|recordMail\(mail, key, heldUntil\)\)|\.insertInto\('mails'\)/.test(
      fs.readFileSync(path.join('src', file), 'utf8'),
    ),
  );
  expect(others).toEqual(['platform/mail/mail-log.server.ts']);
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
  expect((await withPages(both?.text)).match(new RegExp(`&mail=${merged?.mailId}`, 'g'))).toHaveLength(3);
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
  const daily = { daily: ['documents' as const], dailyHour: 7, pausedUntil: '' };
  const chosen = {
    kinds: without('comment'),
    isQuiet: true,
    from: 22,
    until: 6,
    timeZone: 'Europe/Lisbon',
    ...daily,
  };
  await choose(ada, chosen);
  expect(await notificationsOf(ada, 'UTC')).toEqual(chosen);
  expect(await notificationsOf(cleo, 'UTC')).toMatchObject({
    kinds: optionalKinds(),
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
  const input = { kinds: [], isQuiet: false, from: 20, until: 7, timeZone: ZONE, ...AT_ONCE };
  await expect(saveNotifications({ ...sessionOf(ada), viewing }, input)).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  expect((await notificationsOf(ada, 'UTC')).kinds).toEqual(optionalKinds());
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
  expect((await notificationsOf(ada, 'UTC')).kinds).toEqual(optionalKinds());
  await unsubscribe(token, '192.0.2.9');
  await unsubscribe(token, '192.0.2.9');
  expect((await notificationsOf(ada, 'UTC')).kinds).toEqual(without('documents'));
  expect((await notificationsOf(cleo, 'UTC')).kinds).toEqual(optionalKinds());
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

const at = (day: number, hour: number, minute = 0): number =>
  localTime(nextNoon() + day * DAY).with({ hour, minute }).epochMilliseconds;

test('what a person has once a day comes in one email at their hour; the rest at once', async () => {
  await choose(ada, { daily: ['comment', 'documents'], dailyHour: 8 });
  const [evening, early, late] = [at(0, 18), at(1, 8), at(1, 8, 6)];
  standAt(evening);
  await queue(ada, 'documents', 'A document');
  await queue(ada, 'comment', 'A comment');
  await queue(ada, 'task', 'A task');
  await queue(ada, 'security', 'A password');
  expect((await subjects(ada)).toSorted()).toEqual(['A password', 'A task']);
  standAt(early);
  expect(await subjects(ada)).toEqual([]);
  standAt(late);
  const [daily, ...others] = await mailServer.deliver();
  expect(others).toEqual([]);
  expect(daily?.mail.subject).toMatch(/^2 notifications from .+ today$/);
  expect(daily?.mail.text).toContain('A document');
  expect(daily?.mail.text).toContain('A comment');
  expect(daily?.raw).toMatch(/List-Unsubscribe-Post: List-Unsubscribe=One-Click/);
});

test('without anything new there is no daily email, and its link turns off all that was in it', async () => {
  await choose(ada, { daily: ['comment'], dailyHour: 8 });
  standAt(at(1, 9));
  expect(await mailServer.deliver()).toEqual([]);
  await unsubscribe(unsubscribeToken(ada.contactId, 'daily-summary'), '192.0.2.10');
  await queue(ada, 'comment', 'A comment');
  await queue(ada, 'documents', 'A document');
  standAt(at(1, 9));
  expect(await subjects(ada)).toEqual(['A document']);
});

test('a pause holds what can be turned off until its last day is over, and nothing else', async () => {
  const until = Temporal.PlainDate.from(localTime(now()).toPlainDate()).add({ days: 2 });
  await choose(ada, { pausedUntil: until.toString() });
  await queue(ada, 'documents', 'A document');
  await queue(ada, 'security', 'A password');
  expect(await subjects(ada)).toEqual(['A password']);
  standAt(until.toZonedDateTime({ timeZone: ZONE, plainTime: { hour: 23 } }).epochMilliseconds);
  expect(await subjects(ada)).toEqual([]);
  standAt(now() + 2 * HOUR);
  expect(await subjects(ada)).toEqual(['A document']);
});

test.each([
  // there is no half past two in that night, and half past one comes twice in the other
  ['2026-03-08T01:00', 2, '2026-03-08T03:05'],
  ['2026-03-08T12:00', 8, '2026-03-09T08:05'],
  ['2026-03-09T08:04', 8, '2026-03-09T08:05'],
  ['2026-03-09T08:05', 8, '2026-03-10T08:05'],
  ['2026-11-01T00:30', 1, '2026-11-01T01:05'],
])('after %s, the next daily email of the hour %i is at %s', (local, dailyHour, next) => {
  const instant = (time: string): number =>
    Temporal.PlainDateTime.from(time).toZonedDateTime(ZONE).epochMilliseconds;
  expect(nextDailyMail({ dailyHour, timeZone: ZONE, pausedUntil: undefined }, instant(local))).toBe(
    instant(next),
  );
});
