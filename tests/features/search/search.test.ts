import { expect, test, vi } from 'vitest';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { searchPage } from '#features/office/search/search-page.server.ts';
import { recentClients, searchEverything } from '#features/office/search/search.server.ts';
import { shortcutsFor } from '#features/office/search/shortcuts.server.ts';
import { activeClient } from '#features/clients/clients/clients.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newThings } from '#layouts/navigation.server.ts';
import { SECOND } from '#platform/runtime/clock.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { moveClock } from '#platform/runtime/clock.server.ts';
import { PAGES } from '../../../src/routes.ts';
import '../../../src/app.server.ts';
import { CANARY, client, makeCast, person, uploadAs } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';

const { firmOne, ada, cleo, sam, zoe, clientA, clientB, projectA, projectB } = await makeCast();
const [olga, mona, rea] = [
  await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' }),
  await person(firmOne, 'Mona Member', 'mona@one.example', { role: 'member', hasAllClients: false }),
  await person(firmOne, 'Rea Reader', 'rea@one.example', { role: 'reader' }),
];
await client(firmOne, 'São João Padaria', 'S-3', []);
await uploadAs(sam, projectA, 'Payslip March.pdf', 'one');
await uploadAs(sam, projectB, 'Payslip April.pdf', 'two');
for (const [clientId, label] of [
  [clientA, 'Payroll of Amber'],
  [clientB, 'Payroll of Birch'],
] as const)
  await createTask(sam, { clientId, type: 'misc', label });

const search = async (actor: Actor, text: string, limit = 5) =>
  searchEverything({ ...localsOf(actor), client: activeClient(actor, undefined) }, { text, limit });

/** The titles of what somebody finds, by kind. */
const found = async (actor: Actor, text: string): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await search(actor, text)).map(({ kind, hits }) => [kind, hits.map(({ title }) => title)]),
  );

test('staff find clients by a part of their name without accents’ case, number or tag, people, and tasks', async () => {
  expect(await found(sam, 'amber')).toMatchObject({
    clients: ['Amber Bakery'],
    people: ['Ada Amber'],
    tasks: ['Payroll of Amber'],
  });
  expect((await found(sam, 'B-2'))['clients']).toEqual(['Birch Boats']);
  expect((await found(sam, 'SÃO JOÃO'))['clients']).toEqual(['São João Padaria']);
  expect((await found(sam, 'ada@one.example'))['people']).toEqual(['Ada Amber']);
});

test('staff find documents of the client that the beginning of the text names, and are told so otherwise', async () => {
  expect((await found(sam, 'amber payslip'))['documents']).toEqual(['Payslip March.pdf']);
  expect((await found(sam, 'Amber Bakery payslip'))['documents']).toEqual(['Payslip March.pdf']);
  const hinted = (await search(sam, 'payslip')).find(({ kind }) => kind === 'documents');
  expect(hinted).toMatchObject({
    hits: [],
    hint: expect.stringContaining('begin with the client') as string,
  });
});

test('contacts find what is theirs, of each of their clients, and nothing of others', async () => {
  expect(await found(ada, 'pay')).toMatchObject({
    'own-tasks': ['Payroll of Amber'],
    documents: ['Payslip March.pdf'],
  });
  expect((await found(cleo, 'payslip'))['documents']).toEqual(['Payslip March.pdf', 'Payslip April.pdf']);
  expect((await found(cleo, 'birch'))['companies']).toEqual(['Birch Boats']);
  const ofAda = await found(ada, 'birch');
  expect(Object.keys(ofAda).filter((kind) => kind !== 'help')).toEqual([]);
  expect(Object.keys(await found(ada, 'Olga'))).not.toContain('people');
});

test('nobody finds anything of another firm, and staff with assigned clients nothing of others', async () => {
  for (const actor of [olga, sam, ada, cleo])
    expect(JSON.stringify(await found(actor, CANARY.toLowerCase()))).not.toContain(CANARY);
  expect((await found(zoe, CANARY))['documents']).toEqual([`${CANARY} accounts.pdf`]);
  const ofMona = await search(mona, 'pay');
  expect(ofMona.filter(({ kind }) => kind === 'tasks')).toEqual([]);
  expect((await found(mona, 'amber'))['clients']).toBeUndefined();
  expect((await found(mona, 'amber payslip'))['documents'] ?? []).toEqual([]);
});

test('pages and settings are found by those who may open them only', async () => {
  expect((await found(olga, 'audit'))['settings']).toContain('Audit log');
  expect((await found(sam, 'audit'))['settings'] ?? []).not.toContain('Audit log');
  expect((await found(sam, 'signatures'))['pages']).toEqual(['Signatures']);
  expect((await found(rea, 'signatures'))['pages']).toBeUndefined();
  for (const actor of [olga, sam, rea, ada])
    for (const { hits } of await search(actor, 'in', 20))
      for (const { href } of hits) expect(href).toMatch(/^\/clientcenter\/en-us\//);
});

test('what begins with the text is first, and a list has one more than it shows', async () => {
  await client(firmOne, 'Bakery Amber', 'A-9', []);
  const group = (await search(sam, 'bakery', 1)).find(({ kind }) => kind === 'clients');
  expect(group?.hits.map(({ title }) => title)).toEqual(['Bakery Amber']);
  expect(group?.all).toContain('/staff/clients?searchTerm=bakery');
  const both = (await search(sam, 'bakery')).find(({ kind }) => kind === 'clients');
  expect(both?.all).toBeUndefined();
});

test('a kind that fails leaves the others useful', async () => {
  const tasks = contributed('search')
    .flat()
    .find(({ kind }) => kind === 'tasks');
  if (!tasks) throw new Error('Tasks are not searched.');
  const fails = vi.spyOn(tasks, 'find').mockRejectedValue(new Error('planted'));
  const logged = vi.spyOn(log, 'error').mockImplementation(() => undefined);
  const groups = await search(sam, 'amber');
  expect(groups.find(({ kind }) => kind === 'tasks')).toMatchObject({ hits: [], hasFailed: true });
  expect(groups.find(({ kind }) => kind === 'clients')?.hits).not.toEqual([]);
  expect(logged).toHaveBeenCalledWith(expect.objectContaining({ event: 'search.failed', kind: 'tasks' }));
  fails.mockRestore();
  logged.mockRestore();
});

test('one letter finds nothing, and no text is an error', async () => {
  expect(await search(sam, 'a')).toEqual([]);
  for (const text of [
    '"',
    '**',
    '%_',
    'a"b',
    'NEAR(x',
    'col: y',
    '\u202eabc',
    '😀😀',
    'x'.repeat(200),
    "'; --",
  ])
    for (const actor of [sam, ada]) expect(await search(actor, text)).toBeInstanceOf(Array);
});

test('the clients that were opened last are those that one may see', async () => {
  const ids = [clientB, 'client_none', clientA];
  const [group] = await recentClients(localsOf(sam), ids);
  expect(group?.hits.map(({ title }) => title)).toEqual(['Birch Boats', 'Amber Bakery']);
  expect(await recentClients(localsOf(mona), ids)).toEqual([]);
  expect(await recentClients(localsOf(cleo), ids)).toEqual([]);
});

test('who searches more often than anybody types is told to wait', async () => {
  const once = async () => {
    const response: { status?: number } = {};
    const locals = { ...localsOf(rea), client: Promise.resolve(undefined) };
    const results = await searchPage({ url: new URL('https://p.example/search?q=zz'), response, locals });
    return { ...results, ...response };
  };
  for (let count = 0; count < 30; count += 1) expect((await once()).isRefused).toBe(false);
  expect(await once()).toMatchObject({ isRefused: true, status: 429, groups: [] });
  moveClock(11 * SECOND);
  expect((await once()).isRefused).toBe(false);
});

const framed = (actor: Actor) => ({
  ...localsOf(actor),
  client: Promise.resolve(undefined),
  openings: Promise.resolve([]),
});

test('New has every page on which something is begun, for those who may open it', () => {
  const pagesFor = (actor: Actor) =>
    newThings(framed(actor)).flatMap(({ links }) => links.map(({ page }) => page));
  const begun = Object.keys(PAGES)
    .map((pattern) => pattern.replace('/[base]/[lang]/', ''))
    // what is begun for one client is on its page, and what is set up once for all of them on that of its list
    .filter(
      (page) =>
        !page.includes('[') &&
        page !== 'staff/payroll-entries/lists/new' &&
        /^staff\/.*\/new$|^staff\/tasks\/(?:sign|review|payment)$|^staff\/publish$/.test(page),
    );
  expect(new Set(pagesFor(olga))).toEqual(new Set(begun));
  expect(pagesFor(sam)).not.toContain('staff/clients/new');
  expect(pagesFor(rea)).toEqual([]);
});

test('each area of the firm has a key of its own, and the list of keys has those that one may open', () => {
  const keys = contributed('navigation')
    .flat()
    .filter(({ side }) => side === 'staff')
    .map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain(undefined);
  const shown = (actor: Actor) => shortcutsFor(localsOf(actor)).map(({ text }) => text);
  expect(shown(sam)).toContain('Go to Publish');
  expect(shown(rea)).not.toContain('Go to Publish');
});
