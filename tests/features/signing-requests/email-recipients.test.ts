import { expect, test } from 'vitest';
import {
  emailedSigners,
  sentencesBefore,
  sentMessage,
  unreachedText,
} from '#features/signing/signing-requests/email-recipients.server.ts';
import { changeRights } from '#features/base/people/rights.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Before and after a request for signatures is sent, the firm reads who gets an email, and who does not. */

const { ada, firmOne } = await makeCast();
let number = 0;
const signer = (of: Actor | string, place = 1) => ({
  number: (number += 1),
  name: typeof of === 'string' ? of : of.fullName,
  contactId: typeof of === 'string' ? null : of.contactId,
  place,
});

test('those whose turn it is first get an email at once, the others later', async () => {
  const emailed = await emailedSigners({ signers: [signer(ada), signer('José Álvares', 2)] });
  expect(emailed).toEqual({ first: ['Ada Amber'], later: ['José Álvares'], unreached: [] });
  expect(sentencesBefore('en-us', emailed)).toEqual([
    'When you send it, Ada Amber will get an email.',
    'When it’s their turn to sign, José Álvares will get an email.',
  ]);
  expect(sentMessage('en-us', emailed)).toMatchObject({ type: 'success', then: { key: 'emailAfter' } });
});

test('a signer who cannot sign in, or whose emails are not delivered, is named before and after', async () => {
  const blocked = await person(firmOne, 'Bea Blocked', `bea-${newId('x')}@one.example`);
  await changeRights(blocked.contactId, { suspended_at: now() });
  const bouncing = await person(firmOne, 'Bo Bounce', `bo-${newId('x')}@one.example`);
  const firm = await firmOf(firmOne);
  const mail = firmMail({
    about: { kind: 'task', contactId: bouncing.contactId },
    firm,
    to: bouncing.emailAddress,
    lang: 'en-us',
    title: 'Hello',
    text: [],
    button: { label: 'Open', link: config.origin },
    reason: '',
  });
  await queueMail(mail, newId('notice'));
  await db().updateTable('mails').set({ state: 'bounced' }).execute();
  const emailed = await emailedSigners({ signers: [signer(ada), signer(blocked), signer(bouncing)] });
  expect(emailed.first).toEqual(['Ada Amber']);
  expect(emailed.unreached.map((each) => unreachedText('en-us', each))).toEqual([
    'Bea Blocked can’t sign in, or can’t see signatures in the portal.',
    'Emails to Bo Bounce aren’t being delivered.',
  ]);
  expect(sentMessage('en-us', emailed)).toMatchObject({
    type: 'warning',
    then: { key: 'signerLockedOut', vars: { name: 'Bea Blocked' } },
  });
});
