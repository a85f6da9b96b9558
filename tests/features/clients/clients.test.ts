import { describe, expect, test } from 'vitest';
import {
  activeClient,
  clientOf,
  linkContact,
  listClients,
} from '#features/clients/clients/clients.server.ts';
import { clientQuery, type ClientPage } from '#features/clients/clients/clients.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { apiAs } from '../../support/api.ts';
import { CANARY, client, makeCast, person, unlink } from '../../support/cast.ts';
import { storeClient } from '../../support/store-client.ts';

const { ada, cleo, sam, zoe, tom, firmOne, clientA, clientB, clientTwo } = await makeCast();
const marcus = await person(firmOne, 'Marcus Many', 'marcus@one.example');
const names = [
  '100% Juice',
  '100 Juices',
  'under_score',
  'underXscore',
  'back\\slash',
  'Érable & Fils',
  'ÉRABLE DEUX',
  'Zeta',
  'alpha',
  'Beta',
  'Straße',
];
for (const [i, name] of names.entries()) await client(firmOne, name, `M-${String(99 - i)}`, [marcus]);
for (let i = 0; i < 30; i += 1)
  await client(firmOne, `Holding ${String(i).padStart(2, '0')}`, `H-${i}`, [marcus]);
const nobodys = await person(firmOne, 'Nora Newhere', 'nora@one.example');

const list = (actor: Actor, query: object = {}) => listClients(actor, clientQuery.parse(query));
const found = async (searchTerm: string) =>
  (await list(marcus, { searchTerm })).clients.map(({ name }) => name);

describe('the list of clients', () => {
  test('the list of clients contains those the actor may act for and no others', async () => {
    const of = async (actor: Actor) => (await list(actor)).clients.map(({ id }) => id);
    expect(await of(ada)).toEqual([clientA]);
    expect(await of(cleo)).toEqual([clientA, clientB]);
    expect(await of(zoe)).toEqual([clientTwo]);
    expect(await of(nobodys)).toEqual([]);
    expect((await list(sam)).total).toBe(2 + names.length + 30);
    expect((await list(tom)).total).toBe(1);
    expect(JSON.stringify(await list(sam, { pageSize: 1000 }))).not.toContain(CANARY);
    expect((await list(sam, { searchTerm: CANARY })).total).toBe(0);
  });

  test('the pages of the client list contain each client exactly once, in both formats of the spec', async () => {
    const pages: ClientPage[] = [];
    for (let pageNum = 1; pageNum <= 5; pageNum += 1)
      pages.push(await list(marcus, { pageNum, pageSize: 10 }));
    expect(pages.map(({ clients, currentItemCount }) => [clients.length, currentItemCount])).toEqual([
      [10, 10],
      [10, 10],
      [10, 10],
      [10, 10],
      [1, 1],
    ]);
    for (const page of pages)
      expect(page).toMatchObject({ numItems: 41, total: 41, numPages: 5, totalPages: 5 });
    expect(new Set(pages.flatMap(({ clients }) => clients.map(({ id }) => id))).size).toBe(41);
    expect(await list(marcus, { pageNum: 6, pageSize: 10 })).toMatchObject({
      clients: [],
      total: 41,
      currentItemCount: 0,
    });
    expect(await list(nobodys)).toMatchObject({ clients: [], total: 0, totalPages: 1 });
  });

  test('the list of clients is sorted by name without regard to case, or by code, in either direction', async () => {
    const some = async (query: object) =>
      (await list(marcus, { searchTerm: 'eta', ...query })).clients.map(({ name }) => name);
    expect((await list(marcus)).clients.map(({ name }) => name.toLowerCase()).slice(0, 4)).toEqual([
      '100 juices',
      '100% juice',
      'alpha',
      'back\\slash',
    ]);
    expect(await some({})).toEqual(['Beta', 'Zeta']);
    expect(await some({ orderDir: 'desc' })).toEqual(['Zeta', 'Beta']);
    expect(await some({ orderBy: 'code' })).toEqual(['Beta', 'Zeta']);
    expect(await some({ orderBy: 'code', orderDir: 'desc' })).toEqual(['Zeta', 'Beta']);
  });

  test.each([
    ['%', ['100% Juice']],
    ['_', ['under_score']],
    ['\\', ['back\\slash']],
    ['0% j', ['100% Juice']],
    ['érable', ['Érable & Fils', 'ÉRABLE DEUX']],
    ['E\u0301RABLE D', ['ÉRABLE DEUX']],
    ['ＺＥＴＡ', ['Zeta']],
    ["' or 1=1 --", []],
    ['%%', []],
    ['HOLDING 07', ['Holding 07']],
  ])('a search for %j finds clients by exactly these characters', async (term, expected) => {
    expect(await found(term)).toEqual(expected);
  });

  test('the clients call answers over the API and refuses invalid queries', async () => {
    const answer = await apiAs(cleo)('GET', '/api/client-center/v1/clients/?pageSize=1&pageNum=2');
    expect(await answer.json()).toMatchObject({
      clients: [
        {
          id: clientB,
          name: 'Birch Boats',
          displayAs: 'Birch Boats',
          code: 'B-2',
          kind: 'business',
          initials: 'B',
        },
      ],
      total: 2,
      totalPages: 2,
    });
    for (const query of [
      'pageNum=0',
      'pageSize=0',
      'pageSize=1001',
      'orderBy=company_id',
      'orderDir=sideways',
      `searchTerm=${'x'.repeat(201)}`,
      'show-nickname=yes',
      'searchBy=company_id',
    ]) {
      expect((await apiAs(cleo)('GET', `/api/client-center/v1/clients/?${query}`)).status, query).toBe(422);
    }
  });
});

describe('a single client', () => {
  test('a client is found by those who may act for it, and by nobody else', async () => {
    expect((await clientOf(ada, clientA)).name).toBe('Amber Bakery');
    expect((await clientOf(sam, clientB)).name).toBe('Birch Boats');
    for (const [actor, id] of [
      [ada, clientB],
      [ada, clientTwo],
      [sam, clientTwo],
      [tom, clientA],
      [zoe, clientA],
      [ada, newId('client')],
      [ada, ''],
    ] as const)
      await expect(clientOf(actor, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a client of another firm stays out of reach even for somebody linked to it by mistake', async () => {
    await linkContact(clientTwo, ada.contactId).catch(() => undefined);
    await expect(clientOf(ada, clientTwo)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await list(ada)).total).toBe(1);
    await unlink(clientTwo, ada);
  });

  test('linking a person to a client twice links them once', async () => {
    await linkContact(clientA, ada.contactId);
    await linkContact(clientA, ada.contactId);
    expect((await list(ada)).total).toBe(1);
  });

  test.each([
    ['  émile', 'É'],
    ['𝒳 Corp', '𝒳'],
    ['ß-Werk', 'SS'],
    ['   ', ''],
  ])('a client named %j gets an initial', async (name, initials) => {
    expect(
      (await clientOf(sam, await storeClient(firmOne, { name, code: 'I', kind: 'individual' }))).initials,
    ).toBe(initials);
  });
});

describe('the active client', () => {
  test('the active client is the requested one if the actor may act for it, else the first by name', async () => {
    expect((await activeClient(cleo, clientB))?.id).toBe(clientB);
    expect((await activeClient(cleo, undefined))?.id).toBe(clientA);
    for (const wanted of [clientTwo, newId('client'), '', 'x'.repeat(5000)])
      expect((await activeClient(cleo, wanted))?.id).toBe(clientA);
    expect((await activeClient(ada, clientB))?.id).toBe(clientA);
  });

  test('somebody without clients has no active client', async () => {
    expect(await activeClient(nobodys, undefined)).toBeUndefined();
    expect(await activeClient(nobodys, clientA)).toBeUndefined();
  });

  test('the active client changes with the next request after access to it was removed', async () => {
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example');
    const [one, two] = [
      await client(firmOne, 'AAA', 'G-1', [guest]),
      await client(firmOne, 'BBB', 'G-2', [guest]),
    ];
    expect((await activeClient(guest, one))?.id).toBe(one);
    await unlink(one, guest);
    expect((await activeClient(guest, one))?.id).toBe(two);
  });
});
