import '../../../src/app.server.ts';
import { describe, expect, test } from 'vitest';
import {
  choiceOf,
  linkContact,
  listClients,
  searchNicknames,
  setNickname,
} from '#features/clients/clients/clients.server.ts';
import { clientQuery, nicknameSearch } from '#features/clients/clients/clients.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { CANARY, client, uploadAs, makeCast, person } from '../../support/cast.ts';
import { storeClient } from '../../support/store-client.ts';

const { ada, ben, cleo, sam, zoe, tom, firmOne, firmTwo, clientA, clientB, clientTwo, projectA, projectB } =
  await makeCast();
const NICKNAMES = { kind: 'control', name: 'ShowClientNickname' } as const;

/** The same person after the firm has enabled nicknames for them. */
async function seeingNicknames(actor: Actor): Promise<Actor> {
  await decideAccess(actor.companyId, actor.contactId, NICKNAMES, true);
  return actorOf(actor.contactId);
}
const nia = await seeingNicknames(await person(firmOne, 'Nia Nick', 'nia@one.example'));
await linkContact(clientA, nia.contactId);
await linkContact(clientB, nia.contactId);
const list = (actor: Actor, query: object = {}) =>
  listClients(actor, clientQuery.parse({ 'show-nickname': 'true', ...query }));
const nicknamesFor = async (actor: Actor) => (await list(actor)).clients.map(({ nickname }) => nickname);
const search = (companyId: string) => `/api/core/v3/companies/${companyId}/clients/search`;

describe('the clients where something waits come first', () => {
  test('the newest first, then the others by name, on every page and in a search', async () => {
    const reader = await person(firmOne, 'Rita Reads', 'rita@one.example');
    const ids: Record<string, string> = {};
    for (const name of ['Apple', 'Berry', 'Cherry', 'Date', 'Elder']) {
      ids[name] = await storeClient(firmOne, { name, code: name });
      await linkContact(ids[name], reader.contactId);
    }
    const waits = (name: string, moment: number) =>
      at(moment, async () => {
        const project = await createProject(sam, { clientId: ids[name] ?? '', name: 'Letters' });
        return uploadAs(sam, project, `${name}.pdf`, 'A letter');
      });
    await waits('Date', now() - DAY);
    await waits('Cherry', now());
    const names = async (query: object) =>
      (await list(reader, { orderBy: 'pending', ...query })).clients.map(({ name, pending }) => [
        name,
        pending,
      ]);
    expect(await names({})).toEqual([
      ['Cherry', 1],
      ['Date', 1],
      ['Apple', 0],
      ['Berry', 0],
      ['Elder', 0],
    ]);
    expect([...(await names({ pageSize: 3 })), ...(await names({ pageSize: 3, pageNum: 2 }))]).toEqual(
      await names({}),
    );
    expect(await names({ searchTerm: 'e', pageSize: 2, pageNum: 2 })).toEqual([
      ['Apple', 0],
      ['Berry', 0],
    ]);
  });
});

describe('the names of clients', () => {
  test('a client is shown by its display name, with the time of its last change', async () => {
    const made = now() - DAY;
    const someone = await person(firmOne, 'Dora Bell', 'dora@one.example');
    const id = await at(made, () =>
      storeClient(firmOne, {
        name: 'Bell Holdings LLC',
        code: 'DB-1',
        kind: 'business',
        doingBusinessAs: 'Corner Café',
      }),
    );
    await linkContact(id, someone.contactId);
    expect((await list(someone)).clients).toMatchObject([
      {
        name: 'Bell Holdings LLC',
        doingBusinessAs: 'Corner Café',
        displayAs: 'Corner Café',
        nickname: null,
        pending: 0,
        modifiedDate: new Date(made).toISOString(),
      },
    ]);
    await setNickname(someone, id, 'Mum’s');
    const [changed] = (await list(someone)).clients;
    expect(Date.parse(changed?.modifiedDate ?? '')).toBeGreaterThan(made);
    expect(changed?.createdDate).toBe(new Date(made).toISOString());
  });
});

describe('nicknames', () => {
  test('anybody who acts for a client can set its nickname, and an empty one removes it', async () => {
    await setNickname(nia, clientA, '  The bakery ');
    expect(await nicknamesFor(nia)).toEqual(['The bakery', null]);
    await setNickname(sam, clientA, 'Bread');
    expect(await nicknamesFor(nia)).toEqual(['Bread', null]);
    await setNickname(nia, clientA, '   ');
    expect(await nicknamesFor(nia)).toEqual([null, null]);
  });

  test('a nickname that is too long or contains unreadable characters is refused', async () => {
    for (const typed of ['x'.repeat(61), 'a\u0000b', 'line\nbreak', 'turn\u202Eed'])
      await expect(setNickname(nia, clientA, typed), JSON.stringify(typed)).rejects.toMatchObject({
        code: 'INVALID',
      });
    await setNickname(nia, clientA, '🥐'.repeat(60));
    expect(await nicknamesFor(nia)).toEqual(['🥐'.repeat(60), null]);
  });

  test('nobody can set the nickname of a client they do not act for', async () => {
    for (const [actor, id] of [
      [ada, clientB],
      [zoe, clientA],
      [tom, clientA],
      [sam, clientTwo],
      [ada, newId('client')],
    ] as const)
      await expect(setNickname(actor, id, 'Mine')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('nicknames are neither shown, searched nor sorted by where the firm disables them or the query omits them', async () => {
    await setNickname(nia, clientA, 'zz secret');
    await setNickname(nia, clientB, 'aa secret');
    for (const actor of [cleo, sam]) {
      expect(JSON.stringify(await list(actor))).not.toContain('secret');
      expect((await list(actor, { searchBy: 'nickname', searchTerm: 'secret' })).total).toBe(0);
      expect(
        (await list(actor, { orderBy: 'nickname' })).clients
          .map(({ id }) => id)
          .filter((id) => [clientA, clientB].includes(id)),
      ).toEqual([clientA, clientB]);
      expect(
        JSON.stringify(
          await searchNicknames(actor, firmOne, nicknameSearch.parse({ expand: 'primaryContactExpanded' })),
        ),
      ).not.toContain('secret');
    }
    expect(JSON.stringify(await list(nia, { 'show-nickname': 'false' }))).not.toContain('secret');
    expect((await list(nia, { orderBy: 'nickname' })).clients.map(({ id }) => id)).toEqual([
      clientB,
      clientA,
    ]);
    expect(
      (await list(nia, { searchBy: 'nickname', searchTerm: 'AA S' })).clients.map(({ id }) => id),
    ).toEqual([clientB]);
  });

  test('the core search returns nicknames when they are requested', async () => {
    await setNickname(nia, clientB, 'Boats');
    const json = {
      expand: 'primaryContactExpanded',
      pagingDataRequest: { pageIndex: 1, itemsPerPage: 1 },
      filterSearchSort: { orderBy: 'name', searchBy: 'code', search: '-' },
    };
    const answer = await apiAs(nia)('POST', search(firmOne), { json });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        items: [
          { id: clientB, name: 'Birch Boats', code: 'B-2', primaryContactExpanded: { nickname: 'Boats' } },
        ],
        pageIndex: 1,
        itemsPerPage: 1,
        totalItems: 2,
        totalPages: 2,
      },
    ]);
    expect(await (await apiAs(nia)('POST', search(firmOne), { json: {} })).json()).toMatchObject({
      items: [{ id: clientA }, { id: clientB }],
      pageIndex: 0,
      itemsPerPage: 25,
      totalItems: 2,
    });
    for (const wrong of [
      { expand: 'everything' },
      { pagingDataRequest: { itemsPerPage: 1001 } },
      { pagingDataRequest: { pageIndex: -1 } },
      { filterSearchSort: { orderBy: 'company_id' } },
      { more: 1 },
    ]) {
      expect((await apiAs(nia)('POST', search(firmOne), { json: wrong })).status, JSON.stringify(wrong)).toBe(
        422,
      );
    }
  });
});

describe('searching the list of clients', () => {
  test('clients are also searched by code, without regard to case', async () => {
    expect((await list(cleo, { searchBy: 'code', searchTerm: 'b-' })).clients.map(({ id }) => id)).toEqual([
      clientB,
    ]);
    expect((await list(cleo, { searchBy: 'code', searchTerm: 'Birch' })).total).toBe(0);
  });

  test('a list of clients for another or an unknown firm is empty', async () => {
    expect((await list(cleo, { companyId: firmOne })).total).toBe(2);
    for (const companyId of [firmTwo, newId('firm'), '%', '']) {
      expect(await list(cleo, { companyId })).toMatchObject({ clients: [], total: 0, totalPages: 1 });
      if (companyId === '') continue;
      const answer = await (
        await apiAs(cleo)('POST', search(encodeURIComponent(companyId)), { json: {} })
      ).text();
      expect(JSON.parse(answer)).toMatchObject({ items: [], totalItems: 0 });
      expect(answer).not.toContain(CANARY);
    }
  });
});

describe('unread counts of clients', () => {
  const waiting = async (actor: Actor) =>
    Object.fromEntries((await list(actor)).clients.map(({ id, pending }) => [id, pending]));

  test('the count of a client is the number of documents that this contact has not read, whoever else has', async () => {
    const documents = [
      await uploadAs(sam, projectA, 'one.pdf', 'one'),
      await uploadAs(sam, projectA, 'two.pdf', 'two'),
      await uploadAs(sam, projectB, 'three.pdf', 'three'),
    ];
    await uploadAs(cleo, projectA, 'my own.pdf', 'own');
    expect(await waiting(cleo)).toEqual({ [clientA]: 2, [clientB]: 1 });
    expect(await waiting(ada)).toEqual({ [clientA]: 3 });
    await openDocument(
      cleo,
      { containerType: 'Project', containerId: projectA.id },
      documents[0]?.id ?? '',
      true,
    );
    expect(await waiting(cleo)).toEqual({ [clientA]: 1, [clientB]: 1 });
    await db()
      .updateTable('documents')
      .set({ deleted_at: now() })
      .where('document_id', '=', documents[1]?.id ?? '')
      .execute();
    expect(await waiting(cleo)).toEqual({ [clientA]: 0, [clientB]: 1 });
  });

  test('the count of a client for staff is what waits there in the inbox, of clients they act for', async () => {
    await db().deleteFrom('inbox_items').execute();
    const nora = await person(firmOne, 'Nora Narrow', 'nora@one.example', {
      role: 'member',
      hasAllClients: false,
    });
    const { id } = await uploadAs(ada, projectA, 'for the firm.pdf', 'f');
    await uploadAs(sam, projectB, 'by the firm.pdf', 'b');
    expect(await waiting(sam)).toMatchObject({ [clientA]: 1, [clientB]: 0 });
    expect(await waiting(nora)).toEqual({});
    expect(Object.keys(await waiting(tom))).toEqual([clientTwo]);
    await openDocument(sam, { containerType: 'Project', containerId: projectA.id }, id, true);
    expect(await waiting(sam)).toMatchObject({ [clientA]: 0, [clientB]: 0 });
  });
});

describe('the options of the client switcher', () => {
  const withClients = async (name: string, count: number): Promise<{ actor: Actor; ids: string[] }> => {
    const actor = await person(firmOne, `${name} Switch`, `${name}@one.example`);
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push(await client(firmOne, `${name} ${i}`, `S-${i}`, [actor]));
    return { actor, ids };
  };

  test('the switcher offers nothing with one client, a list with up to six, and a search with more', async () => {
    const [one, six, seven] = [
      await withClients('One', 1),
      await withClients('Six', 6),
      await withClients('Seven', 7),
    ];
    expect(await choiceOf(one.actor, one.ids[0] ?? '')).toEqual({ kind: 'one' });
    expect(await choiceOf(six.actor, six.ids[2] ?? '')).toMatchObject({
      kind: 'few',
      others: six.ids.filter((_, i) => i !== 2).map((id) => ({ id, pending: 0 })),
    });
    expect(await choiceOf(seven.actor, seven.ids[0] ?? '')).toEqual({ kind: 'many' });
    expect(await choiceOf(sam, clientA)).toEqual({ kind: 'many' });
    expect(await choiceOf(ben, clientB)).toEqual({ kind: 'one' });
  });
});
