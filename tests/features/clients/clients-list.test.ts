import '../../../src/app.server.ts';
import { describe, expect, test } from 'vitest';
import {
  archiveClients,
  clientsToArchive,
  restoreClients,
} from '#features/clients/clients/archiving.server.ts';
import { addResponsible, addTag } from '#features/clients/clients/changing-many.server.ts';
import { archivedClientsGrid, clientsGrid } from '#features/clients/clients/clients-grid.server.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { clientOf, listClients } from '#features/clients/clients/clients.server.ts';
import { clientQuery } from '#features/clients/clients/clients.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { tagChoices } from '#features/clients/clients/list-choices.server.ts';
import { firmClientsPage } from '#features/clients/clients/firm-clients-page.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person, startMailServer, uploadAs } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

const { ada, sam, tom, firmOne, clientA, clientB, clientTwo, projectA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const mail = await startMailServer();
const orchard = await createClient(olga, {
  name: 'Orchard Ltda',
  code: 'OR-9',
  doingBusinessAs: 'Pomar',
  kind: 'individual',
  tags: ['VAT', 'Payroll'],
  taxIds: [{ kind: 'cnpj', number: '11.222.333/0001-81' }],
  responsible: [mona.contactId],
});

const found = async (actor: Actor, query: Partial<GridQuery> = {}, grid = clientsGrid) =>
  (await readGrid(grid, actor, { ...NO_QUERY, ...query })).rows.map(({ name }) => name);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => refusal(error)?.code,
  );

describe('the list of clients', () => {
  test('clients are grouped by type, language, tax year end and number of contacts', async () => {
    const groupBy = ['kind', 'language', 'yearEnd', 'contacts'];
    const groupsIn = async (path: GridQuery['path']) =>
      (await readGrid(clientsGrid, olga, { ...NO_QUERY, groupBy, path })).groups.map(({ key, count }) => [
        key,
        count,
      ]);
    expect(await groupsIn([])).toEqual([
      ['business', 2],
      ['individual', 1],
    ]);
    expect(await groupsIn(['individual'])).toEqual([['', 1]]);
    expect(await groupsIn(['individual', '', ''])).toEqual([[0, 1]]);
    expect(await found(olga, { groupBy, path: ['individual', '', '', 0] })).toEqual(['Orchard Ltda']);
  });

  test('staff find the clients that they act for, by name, trade name, number, tag and whole tax id', async () => {
    expect(await found(olga)).toEqual(['Amber Bakery', 'Birch Boats', 'Orchard Ltda']);
    expect(await found(mona)).toEqual(['Orchard Ltda']);
    for (const term of ['rchard', 'POMAR', 'or-9', 'vat', '11222333000181', '11.222.333/0001-81'])
      expect(await found(olga, { searchTerm: term }), term).toEqual(['Orchard Ltda']);
    expect(await found(olga, { searchTerm: '11222333' })).toEqual([]);
    expect(await found(olga, { searchTerm: '%' })).toEqual([]);
    await expect(found(ada)).rejects.toThrow('FORBIDDEN');
    expect(await found(tom)).not.toContain('Orchard Ltda');
  });

  test('the filters find clients by type, tag and responsible person', async () => {
    expect(await found(olga, { fields: { kind: 'individual' } })).toEqual(['Orchard Ltda']);
    expect(await found(olga, { fields: { tag: 'vat' } })).toEqual(['Orchard Ltda']);
    expect(await found(olga, { fields: { responsible: mona.contactId } })).toEqual(['Orchard Ltda']);
    expect(await found(olga, { fields: { responsible: sam.contactId } })).toEqual([]);
  });

  test('the tags to filter by are those of the clients that one acts for, each once', async () => {
    await addTag(olga, [clientA], 'payroll');
    const tags = async (actor: Actor) => (await tagChoices(actor)).map(({ value }) => value.toLowerCase());
    expect(await tags(olga)).toEqual(['payroll', 'vat']);
    expect(await tags(mona)).toEqual(['payroll', 'vat']);
    expect(await tags(tom)).toEqual([]);
  });

  test('each client shows how many of its entries wait in the inbox', async () => {
    const waiting = async (actor: Actor) => {
      const { rows } = await readGrid(clientsGrid, actor, NO_QUERY);
      return Object.fromEntries(rows.map((row) => [row.name, row.waiting]));
    };
    await db().deleteFrom('inbox_items').execute();
    await uploadAs(ada, projectA, 'For the firm.pdf', 'for the firm');
    expect(await waiting(olga)).toEqual({ 'Amber Bakery': 1, 'Birch Boats': 0, 'Orchard Ltda': 0 });
    expect(await waiting(mona)).toEqual({ 'Orchard Ltda': 0 });
  });

  test('a tag or a responsible person is added to several clients, or to none of them', async () => {
    expect(await addTag(olga, [clientA, clientB, clientA], 'Season')).toBe(2);
    expect(await addResponsible(olga, [clientA, orchard], sam.contactId)).toBe(2);
    expect((await clientRecord(olga, orchard)).responsible.toSorted()).toEqual(
      [mona.contactId, sam.contactId].toSorted(),
    );
    expect(await codeOf(addTag(olga, [clientB, clientTwo], 'Leak'))).toBe('NOT_FOUND');
    expect((await clientRecord(olga, clientB)).tags).toEqual(['Season']);
    expect(await codeOf(addTag(olga, [clientA], ' '))).toBe('INVALID');
    expect(await codeOf(addTag(sam, [clientA], 'Mine'))).toBe('FORBIDDEN');
    expect(await codeOf(addTag(mona, [clientA], 'Mine'))).toBe('NOT_FOUND');
  });
});

describe('archived clients', () => {
  test('contacts do not see an archived client and its links pause, until it is restored', async () => {
    const document = await uploadAs(ada, projectA, 'Invoice.pdf', 'an invoice');
    await mail.discard();
    for (const sender of [ada, sam])
      await shareDocuments(
        sender,
        {
          expirationPeriod: 'AfterOneDay',
          overrides: { subject: 'Invoice', body: 'Here it is.' },
          recipients: [{ emailAddress: 'bank@out.example' }],
          sharedItems: [{ containerType: 'Project', containerId: projectA.id, documentId: document.id }],
        },
        'en-us',
      );
    const tokens = (await mail.deliver()).flatMap(
      ({ mail: sent }) => /\/share\/([\w-]{43})/.exec(sent.text ?? '')?.[1] ?? [],
    );
    expect(tokens).toHaveLength(2);
    const open = () => Promise.all(tokens.map((token) => codeOf(openShare(token, undefined, '192.0.2.9'))));

    expect(await clientsToArchive(olga, [clientA, clientTwo])).toEqual([
      { id: clientA, name: 'Amber Bakery', contacts: 2, links: 2 },
    ]);
    expect(await archiveClients(olga, [clientA])).toBe(1);
    expect(await archiveClients(olga, [clientA])).toBe(0);
    expect(await codeOf(clientOf(ada, clientA))).toBe('NOT_FOUND');
    expect((await listClients(ada, clientQuery.parse({}))).clients).toEqual([]);
    expect(await codeOf(uploadAs(ada, projectA, 'Late.pdf', 'too late'))).toBe('NOT_FOUND');
    expect(await open()).toEqual(['GONE', 'GONE']);
    expect(await found(olga)).not.toContain('Amber Bakery');
    expect(await found(olga, {}, archivedClientsGrid)).toEqual(['Amber Bakery']);
    expect((await clientRecord(olga, clientA)).archivedDate).not.toBeNull();

    expect(await restoreClients(olga, [clientA])).toBe(1);
    expect((await clientOf(ada, clientA)).id).toBe(clientA);
    expect(await open()).toEqual(['accepted', 'accepted']);
  });

  test('staff read what an archived client has, and nobody adds to it until it is restored', async () => {
    const kept = await uploadAs(ada, projectA, 'Kept.pdf', 'kept');
    await archiveClients(olga, [clientA]);
    expect((await listDocuments(olga, clientA, documentQuery.parse({}))).items.map(({ id }) => id)).toContain(
      kept.id,
    );
    expect(await codeOf(listDocuments(ada, clientA, documentQuery.parse({})))).toBe('NOT_FOUND');
    for (const actor of [ada, sam, olga])
      expect(await codeOf(uploadAs(actor, projectA, 'Late.pdf', 'late')), actor.fullName).toBe(
        actor.staff ? 'FORBIDDEN' : 'NOT_FOUND',
      );
    const folder = { name: 'Late', parentId: projectA.id, parentType: 'Project' as const };
    expect(await codeOf(createFolder(olga, folder))).toBe('FORBIDDEN');
    expect(await codeOf(updateClient(olga, clientA, { name: 'Amber Bakery Ltd' }))).toBe('accepted');
    await restoreClients(olga, [clientA]);
    expect(await codeOf(uploadAs(ada, projectA, 'Back.pdf', 'back'))).toBe('accepted');
    await updateClient(olga, clientA, { name: 'Amber Bakery' });
  });

  test('members, contacts and staff of others cannot archive or restore a client', async () => {
    for (const act of [archiveClients, restoreClients]) {
      expect(await codeOf(act(sam, [clientA]))).toBe('FORBIDDEN');
      expect(await codeOf(act(ada, [clientA]))).toBe('FORBIDDEN');
      expect(await codeOf(act(olga, [clientTwo]))).toBe('NOT_FOUND');
      expect(await codeOf(act(mona, [clientA]))).toBe('NOT_FOUND');
    }
  });
});

describe('the selected clients of the list', () => {
  const posted = (values: Record<string, string>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(values)) form.set(name, value);
    return form;
  };
  const act = (values: Record<string, string>) =>
    firmClientsPage({
      url: new URL('https://one.example/clientcenter/en-us/staff/clients'),
      request: new Request('https://one.example/clientcenter/en-us/staff/clients', {
        method: 'POST',
        body: posted(values),
      }),
      response: {},
      locals: {
        lang: 'en-us',
        session: sessionAs(olga),
        pathTo: (page, query = {}) =>
          `/${page}?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))}`,
      },
    });
  const whereTo = async (values: Record<string, string>): Promise<string> => {
    const answer = await act(values);
    if (!(answer instanceof Response)) throw new Error('no answer');
    return answer.headers.get('location') ?? '';
  };

  test('"select all" gets the tag, however the list was filtered', async () => {
    await whereTo({ do: 'tag', newTag: 'Everybody', all: 'searchTerm=orchard' });
    expect(await namesWith(olga, 'Everybody')).toEqual(['Orchard Ltda']);
  });

  test('are asked for something by their numbers, and one without is named', async () => {
    expect(await whereTo({ do: 'ask', id: orchard })).toBe('/staff/tasks/new?for=many&numbers=OR-9');
    const spaced = await createClient(olga, { name: 'Spaced Out', code: 'S 1', kind: 'business' });
    expect(await whereTo({ do: 'ask', id: spaced })).not.toContain('staff/tasks/new');
  });
});

const namesWith = async (actor: Actor, tag: string): Promise<string[]> =>
  (
    await readGrid(clientsGrid, actor, { ...NO_QUERY, fields: { kind: '', tag, responsible: '', state: '' } })
  ).rows.map(({ name }) => name);
