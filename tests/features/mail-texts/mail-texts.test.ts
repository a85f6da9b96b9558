import { afterAll, describe, expect, test } from 'vitest';
import { filled, problemOf } from '#features/clients/mail-texts/mail-texts.ts';
import { ownText, saveOwnText, wordedKinds } from '#features/clients/mail-texts/own-texts.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import type { MailKind } from '#platform/mail/mail-kinds.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { makeCast, person, startMailServer } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, sam, firmOne, firmTwo, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

const mailServer = await startMailServer();
afterAll(mailServer.close);

/** Sends an email, and returns it as it arrives. */
async function send(to: Actor, kind: MailKind = 'comment') {
  const firm = await firmOf(firmOne);
  const mail = firmMail({
    about: { kind, contactId: to.contactId, clientId: clientA },
    firm,
    to: 'reader@one.example',
    lang: 'en-us',
    title: 'New comment on Balance sheet',
    text: ['Sam wrote something.'],
    button: { label: 'Read it', link: mailedPage('en-us', 'documents', { companyId: firmOne }) },
    reason: 'You get this because you are a client.',
  });
  await queueMail(mail, newId('notice'));
  const [received] = await mailServer.deliver();
  return {
    subject: received?.mail.subject,
    text: received?.mail.text ?? '',
    html: received?.mail.html ?? '',
  };
}

const NONE = { subject: '', introduction: '' };

test('an email to a client has the subject and the introduction of its firm, escaped, and keeps the rest', async () => {
  const before = await send(ada);
  await saveOwnText(olga, 'comment', 'en-us', {
    subject: '[{firm}] {subject}',
    introduction: 'Dear {name},\n\nwe are <b>here</b> for you.',
    version: 0,
  });
  const after = await send(ada);
  expect(before.subject).toBe('New comment on Balance sheet');
  expect(after.subject).toBe('[Maple & Hart] New comment on Balance sheet');
  expect(after.text).toMatch(
    /^New comment on Balance sheet\n\nDear Ada,\n\nwe are <b>here<\/b> for you\.\n\nSam wrote something\./,
  );
  expect(after.html).toContain('we are &lt;b&gt;here&lt;/b&gt; for you.');
  expect(after.html).toContain('<title>[Maple &amp; Hart] New comment on Balance sheet</title>');
  expect(after.text).toContain('Read it: ');
  await saveOwnText(olga, 'comment', 'en-us', { ...NONE, version: 1 });
  const again = await send(ada);
  expect(again.subject).toBe(before.subject);
  expect(again.text).not.toContain('Dear Ada');
});

test('staff, other languages, other firms and emails that protect an account keep the words of the portal', async () => {
  await saveOwnText(olga, 'comment', 'en-us', { subject: 'Ours', introduction: '', version: 0 });
  await saveOwnText(olga, 'comment', 'fr', { subject: 'Le nôtre', introduction: '', version: 0 });
  for (const one of [await send(sam), await send(ada, 'security')])
    expect(one.subject).toBe('New comment on Balance sheet');
  expect(wordedKinds()).not.toContain('security');
  expect(await ownText(firmTwo, 'comment', 'en-us')).toBeUndefined();
  expect((await ownText(firmOne, 'comment', 'fr'))?.subject).toBe('Le nôtre');
});

test('of two who change a text at once the second is told, and the change is in the audit log', async () => {
  const { version = 0 } = (await ownText(firmOne, 'comment', 'fr')) ?? {};
  await saveOwnText(olga, 'comment', 'fr', { subject: 'Premier', introduction: '', version });
  await expect(
    saveOwnText(olga, 'comment', 'fr', { subject: 'Second', introduction: '', version }),
  ).rejects.toMatchObject({ code: 'EDIT_CONFLICT' });
  expect((await ownText(firmOne, 'comment', 'fr'))?.subject).toBe('Premier');
  const changes = await db()
    .selectFrom('audit')
    .select('actor')
    .where('action', '=', 'mail-text.change')
    .execute();
  expect(changes.length).toBeGreaterThan(1);
  expect(new Set(changes.map(({ actor }) => actor))).toEqual(new Set([olga.contactId]));
});

describe('what is refused', () => {
  test.each([
    ['Dear {nmae}', { problem: 'placeholder', name: 'nmae' }],
    ['Dear {__proto__}', { problem: 'placeholder', name: '__proto__' }],
    ['Dear {name', { problem: 'brace' }],
    ['Dear }name{', { problem: 'brace' }],
    ['See https://evil.example/x', { problem: 'link' }],
    ['See www.evil.example', { problem: 'link' }],
    ['See evil.com', { problem: 'link' }],
    ['Bcc:\u0000', { problem: 'control' }],
    ['one\u2028two', { problem: 'control' }],
    ['Dear {name},\n{firm} says: {subject}', undefined],
    ['Até 5.000,00 e 1.º trimestre', undefined],
  ])('%j', (text, problem) => expect(problemOf(text)).toEqual(problem));

  test('what a placeholder stands for is not read again', () => {
    const values = { firm: 'Juniper', name: '{firm}', subject: '$& $1' };
    expect(filled('{name}: {subject}, {firm}', values)).toBe('{firm}: $& $1, Juniper');
  });
});
