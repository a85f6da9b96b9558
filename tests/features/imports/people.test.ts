import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import {
  confirmImport,
  importCounts,
  importOf,
  listRows,
  setMapping,
  undoImport,
} from '#features/office/imports/imports.server.ts';
import { rowQuery, type ImportKind } from '#features/office/imports/imports.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { recordFile } from '#features/office/imports/record-files.server.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';
import { listPending, revokeInvitation } from '#features/identity/invitations/invitations.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import '../../../src/app.server.ts';
import { makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { ada, ben, firmOne, clientA, clientB } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

async function checked(kind: ImportKind, text: string): Promise<string> {
  const id = await startImport(hart, { kind, name: 'a.csv', bytes: Readable.from([Buffer.from(text)]) });
  await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
  await runDueJobs();
  return id;
}

async function imported(kind: ImportKind, text: string, invites = false): Promise<string> {
  const id = await checked(kind, text);
  await confirmImport(hart, id, invites);
  await runDueJobs();
  return id;
}

const rowsOf = async (id: string) =>
  (await listRows(hart, id, rowQuery.parse({}))).rows
    .toSorted((a, b) => a.number - b.number)
    .map(({ action, problems }) => [action, ...problems.map(({ code }) => code)].join(' '));
const linked = async (contactId: string, clientId: string): Promise<boolean> =>
  (await db()
    .selectFrom('client_contacts')
    .select('client_id')
    .where('contact_id', '=', contactId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()) !== undefined;
const pending = async () =>
  (await listPending(hart)).map(({ emailAddress, state }) => `${emailAddress} ${state}`);

test('contacts are prepared without a mail, renamed, told what is wrong, and undone', async () => {
  const id = await imported(
    'contacts',
    [
      'E-mail,First name,Last name,Language',
      'new@out.example,Nia,New,français',
      'ADA@one.example,Adele,Amber,',
      'ben@one.example,Ben,Birch,',
      'sam@one.example,Sam,Staff,',
      'not an address,A,B,',
      'nameless@out.example,,,',
    ].join('\n'),
  );
  expect(await rowsOf(id)).toEqual([
    'create',
    'update',
    'none',
    'problem IS_STAFF',
    'problem EMAIL',
    'problem MISSING MISSING',
  ]);
  expect(await pending()).toEqual(['new@out.example prepared']);
  expect(await db().selectFrom('jobs').select('kind').where('kind', '=', 'mail').execute()).toEqual([]);
  const names = async () =>
    (
      await db().selectFrom('contacts').select('full_name').where('contact_id', '=', ada.contactId).execute()
    )[0];
  expect(await names()).toEqual({ full_name: 'Adele Amber' });
  await undoImport(hart, id);
  await runDueJobs();
  expect(await pending()).toEqual([]);
  expect(await names()).toEqual({ full_name: 'Ada Amber' });
});

test('contacts are linked to the clients of their row, which an undo takes back', async () => {
  const id = await imported(
    'contacts',
    [
      'Email,First name,Last name,Clients',
      'both@out.example,Bo,Both,"A-1, B-2"',
      'ada@one.example,,,A-1 B-2',
      'ben@one.example,,,B-2',
      'lost@out.example,Lo,Lost,X-9',
    ].join('\n'),
  );
  expect(await rowsOf(id)).toEqual(['create', 'update', 'none', 'problem CLIENT_UNKNOWN']);
  expect((await listPending(hart)).map(({ clientIds }) => clientIds)).toEqual([[clientA, clientB]]);
  expect(await linked(ada.contactId, clientB)).toBe(true);
  const file = await (await recordFile(hart, 'en-us', 'contacts.csv')).text();
  expect(file).toContain('both@out.example,Bo,Both,en-us,"A-1, B-2"');
  const { actions } = await importCounts(hart, await checked('contacts', file));
  expect(actions).toMatchObject({ update: 0, problem: 0, create: 0 });

  const again = await imported('contacts', 'Email,Clients\nboth@out.example,B-2\n');
  expect(await rowsOf(again)).toEqual(['none']);
  await undoImport(hart, id);
  await runDueJobs();
  expect(await pending()).toEqual([]);
  expect(await linked(ada.contactId, clientA)).toBe(true);
  expect(await linked(ada.contactId, clientB)).toBe(false);
});

test('a contact who waits for an invitation is linked to more clients, and unlinked by an undo', async () => {
  const first = await imported(
    'contacts',
    'Email,First name,Last name,Client\nwait@out.example,Wa,Wait,A-1\n',
  );
  const second = await imported('contacts', 'Email,Client\nwait@out.example,A-1;B-2\n');
  expect(await rowsOf(second)).toEqual(['update']);
  expect((await listPending(hart)).map(({ clientIds }) => clientIds)).toEqual([[clientA, clientB]]);
  await undoImport(hart, second);
  await runDueJobs();
  expect((await listPending(hart)).map(({ clientIds }) => clientIds)).toEqual([[clientA]]);
  await undoImport(hart, first);
  await runDueJobs();
  expect(await pending()).toEqual([]);
});

test('links are added by number and email, for contacts and for those who are not invited yet', async () => {
  await imported('contacts', 'email,firstName,lastName\nlater@out.example,Lea,Later\n');
  const text =
    'code,email\nB-2,ada@one.example\nb-2,later@out.example\nB-2,ben@one.example\nX-9,ada@one.example\nB-2,who@out.example\n';
  const id = await imported('links', text);
  expect(await rowsOf(id)).toEqual([
    'update',
    'update',
    'none',
    'problem CLIENT_UNKNOWN',
    'problem CONTACT_UNKNOWN',
  ]);
  expect(await linked(ada.contactId, clientB)).toBe(true);
  expect((await listPending(hart))[0]?.clientIds).toEqual([clientB]);
  const file = await (await recordFile(hart, 'en-us', 'links.csv')).text();
  const { actions } = await importCounts(hart, await checked('links', file));
  expect(actions).toMatchObject({ update: 0, problem: 0, create: 0 });
  await undoImport(hart, id);
  await runDueJobs();
  expect(await linked(ada.contactId, clientB)).toBe(false);
  expect(await linked(ben.contactId, clientB)).toBe(true);
  expect((await listPending(hart))[0]?.clientIds).toEqual([]);
});

describe('inviting contacts without access', () => {
  const recipients = async () =>
    (await mailServer.deliver()).flatMap(({ recipients: all }) => all).toSorted();
  const people = 'email,firstName,lastName\nearlier@out.example,Ed,Earlier\n';
  const more = `${people}now@out.example,Nora,Now\nada@one.example,,\n`;

  test('an import with invitations invites those in the file who were never invited, once', async () => {
    await imported('contacts', people);
    expect(await recipients()).toEqual([]);
    const id = await imported('contacts', more, true);
    expect((await importOf(hart, id)).invited).toBe(2);
    expect(await recipients()).toEqual(['earlier@out.example', 'now@out.example']);
    expect(await pending()).toContain('now@out.example open');
    const again = await imported('contacts', `${more}third@out.example,Tess,Third\n`, true);
    expect((await importOf(hart, again)).invited).toBe(1);
    expect(await recipients()).toEqual(['third@out.example']);
  });

  test('an expired invitation is sent again, one that was revoked is not', async () => {
    const text = 'email,firstName,lastName\nold@out.example,Olga,Old\ngone@out.example,Gus,Gone\n';
    await imported('contacts', text, true);
    expect(await recipients()).toEqual(['gone@out.example', 'old@out.example']);
    standAt(now() + 4 * DAY);
    const id = await checked('contacts', `${text}next@out.example,Nell,Next\n`);
    const gone = (await listPending(hart)).find(({ emailAddress }) => emailAddress === 'gone@out.example');
    await revokeInvitation(hart, gone?.invitationId ?? '');
    await confirmImport(hart, id, true);
    await runDueJobs();
    expect(await recipients()).toEqual(['next@out.example', 'old@out.example']);
  });

  test('an undo revokes the invitations of an import and sends none', async () => {
    const id = await imported('contacts', 'email,firstName,lastName\nundo@out.example,Una,Undo\n', true);
    expect(await recipients()).toEqual(['undo@out.example']);
    await undoImport(hart, id);
    await runDueJobs();
    expect(await recipients()).toEqual([]);
    expect((await importOf(hart, id)).state).toBe('undone');
    expect((await pending()).join()).not.toContain('undo@out.example');
  });

  test('an import of links invites the people of its rows, and one of clients invites nobody', async () => {
    await imported('contacts', 'email,firstName,lastName\nlink@out.example,Lin,Link\n');
    const id = await imported('links', 'code,email\nB-2,link@out.example\nA-1,ada@one.example\n', true);
    expect((await importOf(hart, id)).invited).toBe(1);
    expect(await recipients()).toEqual(['link@out.example']);
    const clients = await imported('clients', 'code,name\nNEW-1,New client\n', true);
    expect(await importOf(hart, clients)).toMatchObject({ invites: false, invited: 0 });
  });

  test('an import with invitations beyond those of a day is refused, and can go on without', async () => {
    const mia = await person(firmOne, 'Mia Manager', 'mia@one.example', { role: 'manager' });
    const id = await checked('contacts', 'email,firstName,lastName\nlate@out.example,Lara,Late\n');
    for (let used = 0; used < 20; used += 1) await consume(`invite-batch:${mia.contactId}`, 20, DAY);
    await expect(confirmImport(mia, id, true)).rejects.toMatchObject({ code: 'TOO_MANY' });
    expect((await importOf(mia, id)).state).toBe('ready');
    await confirmImport(mia, id, false);
    await runDueJobs();
    expect((await importOf(mia, id)).state).toBe('done');
    expect(await recipients()).toEqual([]);
  });
});
