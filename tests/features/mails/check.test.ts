import { afterAll, beforeEach, expect, test } from 'vitest';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { checkMail } from '#features/clients/mails/check.server.ts';
import { phrasePage } from '#features/clients/mails/phrase-page.server.ts';
import { wordsFor } from '#features/clients/mails/phrase-words.ts';
import { changePhrase, suggestPhrase } from '#features/clients/mails/phrases.server.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { db } from '#platform/database/database.server.ts';
import { checkCodeOf, readCheckCode } from '#platform/mail/check-codes.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { loadPhrase } from '#platform/mail/mail-phrases.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, standAt, startMailServer } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, sam, firmOne } = await makeCast();
const firm = await firmOf(firmOne);
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await db().deleteFrom('contact_phrases').execute();
  await db().deleteFrom('limits').execute();
  await mailServer.discard();
});

const refused = (code: string) => expect.objectContaining({ code }) as unknown;

async function sendTo(actor: Actor) {
  const mail = firmMail({
    about: { kind: 'documents', contactId: actor.contactId },
    firm,
    to: actor.emailAddress,
    lang: 'en-us',
    title: 'One new document',
    text: ['It is in the portal.'],
    button: { label: 'Open', link: mailedPage('en-us', 'documents', actor) },
    reason: 'You are a client.',
  });
  await queueMail(mail, newId('test'));
  const [sent] = await mailServer.deliver();
  return { mailId: mail.mailId, html: String(sent?.mail.html), text: sent?.mail.text ?? '' };
}

test('an email ends with a code, and whoever enters it learns what it is about, and no more', async () => {
  const { mailId, text, html } = await sendTo(ada);
  const code = checkCodeOf(mailId);
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  for (const part of [text, html]) {
    expect(part).toContain(code);
    expect(part, 'the page is no link: a fake email would lead to a fake page').not.toMatch(
      /https?:\/\/\S*\/check\b/,
    );
  }
  expect(await checkMail(code, '192.0.2.1')).toEqual({
    kind: 'documents',
    firm: { name: firm.name, timeZone: firm.timeZone },
    sentAt: expect.any(Number) as number,
    initial: ada.emailAddress[0],
  });
});

test('a code is read in lower case, with spaces and with letters that look like digits', () => {
  expect(readCheckCode(' 7kd2 – 9qxm ')).toBe('7KD2-9QXM');
  expect(readCheckCode('oOiI-lL00')).toBe('0011-1100');
  for (const typed of ['', '7KD2-9QX', '7KD2-9QXMA', '7KD2-9QXU', '7KD2 9QX\u0000', 'é'.repeat(8)])
    expect(readCheckCode(typed), typed).toBeUndefined();
});

test('nothing is said of an email that was canceled, and nothing of a recipient who has left', async () => {
  const { mailId } = await sendTo(ben);
  const code = checkCodeOf(mailId);
  await db()
    .updateTable('contacts')
    .set({ removed_at: now() })
    .where('contact_id', '=', ben.contactId)
    .execute();
  expect(await checkMail(code, '192.0.2.1')).toMatchObject({ initial: undefined });
  await db()
    .updateTable('contacts')
    .set({ removed_at: null })
    .where('contact_id', '=', ben.contactId)
    .execute();
  await db().updateTable('mails').set({ state: 'canceled' }).where('mail_id', '=', mailId).execute();
  expect(await checkMail(code, '192.0.2.1')).toBeUndefined();
});

test('wrong codes are limited for each network, and right ones are not', async () => {
  const code = checkCodeOf((await sendTo(ada)).mailId);
  for (let times = 0; times < 15; times++) expect(await checkMail(code, '192.0.2.2')).toBeDefined();
  for (let times = 0; times < 10; times++)
    expect(await checkMail(times % 2 ? 'nonsense' : '0000-0000', '192.0.2.2')).toBeUndefined();
  await expect(checkMail(code, '192.0.2.2')).rejects.toEqual(refused('TOO_MANY'));
  expect(await checkMail(code, '198.51.100.2')).toBeDefined();
  standAt(now() + HOUR + MINUTE);
  expect(await checkMail(code, '192.0.2.2')).toBeDefined();
});

test('every email to a person has their phrase, and the one about its change still the phrase before', async () => {
  expect((await sendTo(ada)).text).not.toContain('Your phrase:');
  await changePhrase(sessionAs(ada), 'blue <b>kettle</b>');
  const [first] = await mailServer.deliver();
  expect(first?.mail.text).not.toContain('Your phrase:');
  const { html, text } = await sendTo(ada);
  expect(text).toContain('Your phrase: blue <b>kettle</b>');
  expect(html).toContain('blue &lt;b&gt;kettle&lt;/b&gt;');
  expect((await sendTo(ben)).text, 'nobody else').not.toContain('Your phrase:');
  await changePhrase(sessionAs(ada), 'quiet harbor');
  const [second] = await mailServer.deliver();
  expect(second?.mail.text).toContain('Your phrase: blue <b>kettle</b>');
  expect(second?.mail.text).toContain('Your phrase for emails was changed');
  expect((await sendTo(ada)).text).toContain('Your phrase: quiet harbor');
  await changePhrase(sessionAs(ada), '');
  expect(await loadPhrase(ada.contactId)).toBeUndefined();
  const audited = await db()
    .selectFrom('audit')
    .select('action')
    .where('action', '=', 'profile.phrase')
    .execute();
  expect(audited).toHaveLength(3);
});

test('a phrase is stored encrypted, and neither it nor its emails’ texts can be read from the list of emails', async () => {
  await changePhrase(sessionAs(ada), 'CANARY-PHRASE');
  await sendTo(ada);
  const rows = [
    ...(await db().selectFrom('contact_phrases').selectAll().execute()),
    ...(await db().selectFrom('mails').selectAll().execute()),
    ...(await db().selectFrom('jobs').selectAll().execute()),
  ];
  expect(rows.length).toBeGreaterThan(2);
  expect(JSON.stringify(rows)).not.toContain('CANARY-PHRASE');
});

test('nobody changes a phrase in a session that is not fresh, or while viewing as a contact', async () => {
  const stale = sessionAs(ada, { authenticatedAt: now() - HOUR });
  await expect(changePhrase(stale, 'other words')).rejects.toEqual(refused('STEP_UP'));
  await expect(changePhrase(impersonating(ada, sam), 'other words')).rejects.toEqual(
    refused('EMULATION_READ_ONLY'),
  );
  expect(await loadPhrase(ada.contactId)).toBeUndefined();
});

test('staff who view as a contact do not see the phrase', async () => {
  await changePhrase(sessionAs(ada), 'blue kettle');
  const open = (session: Session) => {
    const url = new URL('https://portal.example/clientcenter/en-us/profile/phrase');
    const locals = { lang: 'en-us' as const, pathTo: addressBuilder(() => 'en-us', undefined), session };
    return phrasePage({ url, request: new Request(url), response: {}, params: {}, locals });
  };
  const own = await open(sessionAs(ada));
  expect(JSON.stringify(own)).toContain('blue kettle');
  const viewed = await open(impersonating(ada, sam));
  expect(viewed).toBeInstanceOf(Response);
  expect((viewed as Response).headers.get('location')).toMatch(/\/not-authorized$/);
});

test.each(LANGS)('two different words are suggested in %s, from a list without repetitions', (lang) => {
  const words = wordsFor(lang);
  expect(new Set(words).size).toBe(words.length);
  expect(words.length).toBeGreaterThanOrEqual(150);
  for (let times = 0; times < 20; times++) {
    const [first, second, ...more] = suggestPhrase(lang).split(' ');
    expect(first).not.toBe(second);
    expect(more).toEqual([]);
    expect(`${first} ${second}`.length).toBeLessThanOrEqual(40);
  }
});
