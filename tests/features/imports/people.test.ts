import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  confirmImport,
  importCounts,
  importOf,
  listRows,
  setMapping,
  undoImport,
} from '#features/imports/imports.server.ts';
import { rowQuery, type ImportKind } from '#features/imports/imports.ts';
import { proposedMapping } from '#features/imports/mapping.server.ts';
import { recordFile } from '#features/imports/record-files.server.ts';
import { startImport } from '#features/imports/uploading.server.ts';
import { listPending } from '#features/invitations/invitations.server.ts';
import { db } from '#platform/database.server.ts';
import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { ada, ben, firmOne, clientB } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });

async function checked(kind: ImportKind, text: string): Promise<string> {
  const id = await startImport(hart, { kind, name: 'a.csv', bytes: Readable.from([Buffer.from(text)]) });
  await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
  await runDueJobs();
  return id;
}

async function imported(kind: ImportKind, text: string): Promise<string> {
  const id = await checked(kind, text);
  await confirmImport(hart, id, false);
  await runDueJobs();
  return id;
}

const rowsOf = async (id: string) =>
  (await listRows(hart, id, rowQuery.parse({}))).rows.map(({ action, problems }) =>
    [action, ...problems.map(({ code }) => code)].join(' '),
  );
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
