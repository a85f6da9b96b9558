import '../../../src/app.server.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { headOffice } from '#features/brazil/fiscal-documents/owners.server.ts';
import { branchesWithDocuments } from '#features/brazil/fiscal-documents/branches.server.ts';
import { monthFor } from '#features/brazil/fiscal-documents/months.server.ts';
import { addEstablishment } from '#features/brazil/establishments/establishments.server.ts';
import { followTaxIds } from '#features/brazil/establishments/head-offices.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { makeCast, person } from '../../support/cast.ts';
import { BAKERY, noteXml, openStorageOf, store } from '../../support/fiscal.ts';

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
const sam = await actorOf(cast.sam.contactId);
const [owner, ada] = [await actorOf(olga.contactId), await actorOf(cast.ada.contactId)];
const pathTo = ((place: string, query: Record<string, string> = {}) =>
  `/${place}?${new URLSearchParams(query)}`) as unknown as PathTo;

/** The CNPJ of a branch of a company, with its check digits. */
function branchOf(cnpj: string, number: string): string {
  for (let digits = 0; digits < 100; digits += 1) {
    const branch = cnpj.slice(0, 8) + number + String(digits).padStart(2, '0');
    if (isTaxId('cnpj', branch)) return branch;
  }
  throw new Error('no check digits fit');
}
const [SECOND, THIRD] = [branchOf(BAKERY, '0002'), branchOf(BAKERY, '0003')];

beforeAll(async () => {
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
  await followTaxIds([{ clientId: clientA, taxIds: [{ kind: 'cnpj', number: BAKERY }] }]);
});

const ownerOf = async (number: number) =>
  db()
    .selectFrom('fiscal_documents')
    .select(['client_id', 'own_id', 'role'])
    .where('number', '=', number)
    .orderBy('client_id')
    .execute();

describe('a document of a branch', () => {
  test('goes to the client with its company, and names the branch', async () => {
    await store(
      olga,
      clientB,
      noteXml({ number: 1, recipient: SECOND }),
      noteXml({ number: 2, issuer: SECOND }),
    );
    expect(await ownerOf(1)).toEqual([{ client_id: clientA, own_id: SECOND, role: 'recipient' }]);
    expect(await ownerOf(2)).toEqual([{ client_id: clientA, own_id: SECOND, role: 'issuer' }]);
  });

  test('goes to the client that has this very number, not to the one with the head office', async () => {
    await updateClient(olga, clientB, { taxIds: [{ kind: 'cnpj', number: THIRD }], allowDuplicate: true });
    await store(olga, clientA, noteXml({ number: 3, recipient: THIRD }));
    expect(await ownerOf(3)).toEqual([{ client_id: clientB, own_id: THIRD, role: 'recipient' }]);
  });

  test('goes to a client that is itself a branch, also if its head office is nobody’s', async () => {
    const [head, branch] = [headOffice('31550824000169'), branchOf('31550824000169', '0004')];
    await updateClient(olga, clientB, { taxIds: [{ kind: 'cnpj', number: branch }], allowDuplicate: true });
    await followTaxIds([{ clientId: clientB, taxIds: [{ kind: 'cnpj', number: branch }] }]);
    await store(olga, clientA, noteXml({ number: 4, recipient: head, issuer: '11222333000181' }));
    expect(await ownerOf(4)).toEqual([{ client_id: clientB, own_id: head, role: 'recipient' }]);
  });
});

describe('the establishments of an archive', () => {
  test('are those in its documents; one that nobody has added is said, and can be added by who may', async () => {
    await store(olga, clientA, noteXml({ number: 10, issuer: BAKERY }));
    const of = (actor: Actor) => branchesWithDocuments({ session: { actor }, pathTo }, clientA, 'nfe');
    expect((await of(ada)).map(({ cnpj, isUnknown, addHref }) => [cnpj, isUnknown, addHref])).toEqual([
      [BAKERY, false, undefined],
      [SECOND, true, undefined],
    ]);
    const add = `/staff/clients/${clientA}/establishments?cnpj=${SECOND}`;
    expect((await of(olga)).map(({ addHref }) => addHref)).toEqual([undefined, add]);
    await addEstablishment(olga, clientA, { cnpj: SECOND, name: 'Filial Centro' });
    expect((await of(sam)).at(-1)).toMatchObject({ isUnknown: false });
    expect((await of(olga)).at(-1)?.text).toContain('Filial Centro');
  });

  test('each have their own sums and gaps of a month', async () => {
    await store(
      olga,
      clientA,
      ...[20, 22].map((number) => noteXml({ number, issuer: SECOND, series: 7, total: '10.00' })),
      ...[20, 21].map((number) => noteXml({ number, issuer: BAKERY, series: 7, total: '1.00' })),
    );
    const monthOf = (establishment?: string) =>
      monthFor(owner, {
        clientId: clientA,
        storage: 'nfe',
        month: '2026-11',
        ...(establishment !== undefined && { establishment }),
      });
    const gapsIn = ({ gaps }: Awaited<ReturnType<typeof monthOf>>) =>
      gaps.filter(({ series }) => series === '7').map(({ issuer, first, last }) => [issuer, first, last]);
    const countIn = ({ sums }: Awaited<ReturnType<typeof monthOf>>) =>
      sums.reduce((all, { count }) => all + count, 0);
    const [all, head, branch] = [await monthOf(), await monthOf(BAKERY), await monthOf(SECOND)];
    expect(gapsIn(all)).toEqual([[SECOND, 21, 21]]);
    expect([gapsIn(head), gapsIn(branch)]).toEqual([[], [[SECOND, 21, 21]]]);
    expect([countIn(head), countIn(branch)]).toEqual([3, 4]);
    expect(countIn(all)).toBe(7);
  });
});
