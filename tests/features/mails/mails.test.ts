import { afterAll, expect, test } from 'vitest';
import { invite, acceptInvitation } from '#features/identity/invitations/invitations.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { markRead } from '#features/documents/documents/reading.server.ts';
import { otherChannel } from '#features/clients/mails/mail-page.server.ts';
import { mailOf, resendMail } from '#features/clients/mails/mails.server.ts';
import { mailsGrid } from '#features/clients/mails/mails-grid.server.ts';
import type { ListedMail } from '#features/clients/mails/mails.ts';
import { meaningOf } from '#features/clients/mails/rules.ts';
import type { Actor } from '#features/base/people/people.ts';
import { openShare, sharedBytes } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { announceUploads } from '#features/documents/uploads/notifications.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { cancelPendingJobs } from '#platform/jobs/jobs.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { recordBounce, recordOpened } from '#platform/mail/mail-log.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { makeCast, person, standAt, startMailServer, uploadAs } from '../../support/cast.ts';
import { withPages } from '../../support/mail-links.ts';

const { ada, sam, tom, firmOne, clientA, clientB, projectA } = await makeCast();
const grace = await person(firmOne, 'Grace Gate', 'grace@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

type Query = Record<string, string>;
const page = (actor: Actor, query: Query = {}) =>
  readGrid(mailsGrid, actor, gridQueryOf(mailsGrid, mailsGrid.parameters.parse(query)));
const find = async (actor: Actor, query: Query = {}): Promise<readonly ListedMail[]> =>
  (await page(actor, query)).rows;
const newest = async (actor: Actor, query: Query): Promise<ListedMail> => {
  const [mail] = await find(actor, query);
  if (!mail) throw new Error('There is no such mail.');
  return mail;
};
const refused = (code: string): unknown => expect.objectContaining({ code });
/** Publishes a document, which its contacts are told about. */
async function publish(name: string): Promise<string> {
  const { id } = await uploadAs(sam, projectA, name, name);
  await announceUploads(sam, projectA.id, [id]);
  return id;
}
/** The announcements of uploads wait until nothing more comes. */
async function deliver() {
  standAt(now() + HOUR);
  return mailServer.deliver();
}

test('a notice about documents is accepted, opened and done, each by what its recipient did', async () => {
  const id = await publish('Payroll.pdf');
  const [sent] = (await deliver()).filter(({ recipients }) => recipients[0] === 'ada@one.example');
  const { mailId } = await newest(sam, { searchTerm: 'ada@one.example', kind: 'documents' });
  expect(await withPages(sent?.mail.text)).toContain(`&mail=${mailId}`);
  const state = async () => (await mailOf(sam, mailId)).state;
  expect(await state()).toBe('accepted');
  await recordOpened(mailId, ada.contactId);
  expect(await state()).toBe('opened');
  await markRead(ada, [id]);
  expect((await mailOf(sam, mailId)).events.map((event) => event.state)).toEqual([
    'queued',
    'accepted',
    'opened',
    'done',
  ]);
});

test('an invitation is done when it was accepted, and neither list nor text has its link', async () => {
  await invite(grace, {
    emailAddress: 'nia@new.example',
    firstName: 'Nia',
    lastName: 'New',
    language: 'en-us',
    clientIds: [clientA],
  });
  const [sent] = await deliver();
  const token = /invitation\/([\w-]{43})/.exec(sent?.mail.text ?? '')?.[1] ?? '';
  const { mailId } = await newest(grace, { kind: 'invitation' });
  const mail = await mailOf(grace, mailId);
  const firm = { name: 'Maple & Hart', phone: '555', email: '' };
  expect(JSON.stringify([mail, otherChannel(mail, firm)])).not.toContain(token);
  await acceptInvitation(token, { password: 'nine green kettles sing' });
  expect((await mailOf(grace, mailId)).state).toBe('done');
});

test('a share is opened by the button of its page and done with the first download', async () => {
  const { id } = await uploadAs(ada, projectA, 'Invoice.pdf', 'invoice');
  await shareDocuments(
    ada,
    {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject: 'The invoice', body: '' },
      recipients: [{ emailAddress: 'desk@bank.example' }],
      sharedItems: [{ containerType: 'Project', containerId: projectA.id, documentId: id }],
    },
    'en-us',
  );
  const sent = (await deliver()).find(({ recipients }) => recipients[0] === 'desk@bank.example');
  const token = /share\/([\w-]{43})/.exec(sent?.mail.text ?? '')?.[1] ?? '';
  const { mailId } = await newest(sam, { searchTerm: 'DESK@bank.example' });
  const state = async () => (await mailOf(sam, mailId)).state;
  const visit = await openShare(token, undefined, '192.0.2.7');
  expect(await state()).toBe('opened');
  await sharedBytes(token, visit, id);
  expect(await state()).toBe('done');
  expect((await mailOf(sam, mailId)).resending).toBe('by-sender');
  await expect(resendMail(sam, mailId)).rejects.toEqual(refused('FORBIDDEN'));
});

test('in the list only an email that was not delivered is marked as a problem', async () => {
  const cellIn = async (state: string) => {
    const query = gridQueryOf(mailsGrid, mailsGrid.parameters.parse({ searchTerm: 'tess@one.example' }));
    const { rows } = await readGrid(mailsGrid, grace, query);
    const context = { lang: 'en-us', t: translationsFor('en-us', 'mails'), pathTo: String } as const;
    const [row] = rows.filter((each) => each.state === state);
    return row && mailsGrid.columns['state']?.cell(row, context);
  };
  const mailId = newId('mail');
  await queueMail(
    {
      mailId,
      about: { kind: 'documents' },
      companyId: firmOne,
      to: 'tess@one.example',
      from: { name: 'Firm One' },
      subject: 'New documents',
      html: '',
      text: '',
      language: 'en-US',
    },
    newId('notice'),
  );
  expect(await cellIn('queued')).toEqual({ text: 'Queued', chip: { tone: 'neutral', icon: 'clock' } });
  await recordBounce({ mail_id: mailId }, '5.1.1');
  expect(await cellIn('bounced')).toEqual({
    text: 'Bounced',
    chip: { tone: 'danger', icon: 'circle-alert' },
  });
});

test('a mail that bounced can be sent again as it was, with a row of its own', async () => {
  await publish('Again.pdf');
  await deliver();
  const bounced = await newest(sam, { searchTerm: 'ada@one.example' });
  await recordBounce({ mail_id: bounced.mailId }, '5.2.2');
  expect(await find(sam, { state: 'bounced' })).toEqual([expect.objectContaining({ reason: '5.2.2' })]);
  const again = await resendMail(sam, bounced.mailId);
  const [sent] = await deliver();
  expect([sent?.recipients, sent?.mail.subject]).toEqual([['ada@one.example'], bounced.subject]);
  expect(sent?.mail.text).toContain('Again.pdf');
  expect(await withPages(sent?.mail.text)).toContain(`&mail=${again}`);
  expect((await mailOf(sam, again)).state).toBe('accepted');
});

test('an invitation that is sent again has a new link, and only managers of contacts may do it', async () => {
  await invite(grace, {
    emailAddress: 'otto@new.example',
    firstName: 'Otto',
    lastName: 'New',
    language: 'en-us',
    clientIds: [],
  });
  const [first] = await deliver();
  const { mailId } = await newest(grace, { searchTerm: 'otto@new.example' });
  await expect(resendMail(sam, mailId)).rejects.toEqual(refused('NOT_FOUND'));
  const again = await resendMail(grace, mailId);
  const [second] = await deliver();
  const linkIn = (text = '') => /invitation\/[\w-]{43}/.exec(text)?.[0];
  expect(linkIn(second?.mail.text)).not.toBe(linkIn(first?.mail.text));
  expect((await mailOf(grace, again)).recipient).toBe('otto@new.example');
});

test('emails are found by part of the name or by the whole address of their recipient, and by date', async () => {
  await publish('Found.pdf');
  await deliver();
  const recipients = async (query: Query) =>
    new Set((await find(sam, query)).map(({ recipient }) => recipient));
  expect(await recipients({ searchTerm: 'AMBER' })).toEqual(new Set(['ada@one.example']));
  expect(await recipients({ searchTerm: 'Ada@One.example' })).toEqual(new Set(['ada@one.example']));
  expect(await find(sam, { searchTerm: 'ada@' })).toEqual([]);
  expect(await find(sam, { from: '2999-01-01' })).toEqual([]);
  expect(await recipients({ searchTerm: 'amber', to: '2999-01-01' })).toEqual(new Set(['ada@one.example']));
});

test('nobody sees the mails of another firm, and contacts see none', async () => {
  await publish('Private.pdf');
  await deliver();
  const { mailId } = await newest(sam, {});
  await expect(mailOf(tom, mailId)).rejects.toEqual(refused('NOT_FOUND'));
  await expect(resendMail(tom, mailId)).rejects.toEqual(refused('NOT_FOUND'));
  expect((await find(tom)).filter(({ recipient }) => recipient.includes('one.example'))).toEqual([]);
  await expect(page(ada)).rejects.toEqual(refused('FORBIDDEN'));
  await expect(mailOf(ada, mailId)).rejects.toEqual(refused('FORBIDDEN'));
});

test('the list is filtered by client, and its total counts all pages', async () => {
  const about = { kind: 'documents', clientId: clientB } as const;
  for (let count = 0; count < 26; count += 1)
    await queueMail(
      {
        mailId: newId('mail'),
        about,
        to: 'ben@one.example',
        from: { name: 'Maple & Hart' },
        subject: `Notice ${count}`,
        html: '',
        text: '',
        language: 'en-US',
        companyId: firmOne,
      },
      newId('notice'),
    );
  const { rows, total } = await page(sam, { clientName: 'BOATS' });
  expect([rows.length, total]).toEqual([25, 26]);
  expect(await find(sam, { clientName: 'bakery', searchTerm: 'ben@one.example' })).toEqual([]);
  const { groups } = await page(sam, { group: 'client', clientName: 'boats' });
  expect(groups).toMatchObject([{ text: 'Birch Boats', count: 26 }]);
  await cancelPendingJobs();
});

test('staff with assigned clients see the mails about these clients only', async () => {
  const nora = await person(firmOne, 'Nora Narrow', 'nora@one.example', {
    role: 'manager',
    hasAllClients: false,
  });
  expect((await page(nora)).total).toBe(0);
  await db()
    .insertInto('staff_clients')
    .values({ contact_id: nora.contactId, client_id: clientB, mac: '' })
    .execute();
  const seen = await find(nora);
  expect(new Set(seen.map(({ clientName }) => clientName))).toEqual(new Set(['Birch Boats']));
  expect((await page(nora)).total).toBe((await page(sam, { clientName: 'boats' })).total);
});

test.each([
  ['5.1.1', 'noMailbox'],
  ['5.1.10', 'noMailbox'],
  ['4.2.2', 'mailboxFull'],
  ['5.2.1', 'mailboxDisabled'],
  ['5.4.4', 'unreachable'],
  ['ETIMEDOUT', 'unreachable'],
  ['5.7.1', 'rejected'],
  ['EAUTH', 'ourServer'],
  ['NO_SMTP_URL', 'ourServer'],
  ['550', 'refused'],
])('the reason %s is explained as %s', (reason, meaning) => {
  expect(meaningOf(reason)).toBe(meaning);
});
