import { describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import {
  addEstablishment,
  changeEstablishment,
  establishmentsWithCnpj,
  listEstablishments,
  removeEstablishment,
} from '#features/brazil/establishments/establishments.server.ts';
import { addMissingHeadOffices } from '#features/brazil/establishments/head-offices.server.ts';
import { archiveClients } from '#features/clients/clients/archiving.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { removeUnusedClient } from '#features/clients/clients/removing.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { firmOne, ada, sam, clientA, clientB, clientTwo, tom } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });

const HEAD = '99304518000186';
const BRANCH = '99304518000267';
const WITH_LETTERS = '12ABC34501DE35';
const cnpj = (number: string) => ({ taxIds: [{ kind: 'cnpj' as const, number }] });
const bakery = await createClient(olga, { name: 'Padaria Sol', ...cnpj(HEAD) });
const cnpjs = async (clientId: string) =>
  (await listEstablishments(sam, clientId)).map((each) => `${each.cnpj}${each.isHeadOffice ? ' head' : ''}`);

describe('the head office of a client', () => {
  test('has the CNPJ and the name of the client as soon as it has one', async () => {
    expect(await listEstablishments(sam, bakery)).toMatchObject([
      { cnpj: HEAD, name: 'Padaria Sol', city: '', restDays: [7], isHeadOffice: true },
    ]);
    expect(await cnpjs(clientA)).toEqual([]);
  });

  test('keeps its data when the CNPJ of the client is corrected, and becomes a branch when another one has it', async () => {
    const id = await createClient(olga, { name: 'Corrected', ...cnpj('11222333000181') });
    const [head] = await listEstablishments(sam, id);
    await changeEstablishment(sam, head?.id ?? '', { version: 1, city: '3550308' });
    await updateClient(olga, id, cnpj('11444777000161'));
    expect(await listEstablishments(sam, id)).toMatchObject([
      { id: head?.id, cnpj: '11444777000161', city: '3550308' },
    ]);
    await addEstablishment(sam, id, { cnpj: WITH_LETTERS, name: 'Other' });
    await updateClient(olga, id, cnpj(WITH_LETTERS));
    expect(await cnpjs(id)).toEqual([`${WITH_LETTERS} head`, '11444777000161']);
    await updateClient(olga, id, { taxIds: [] });
    expect(await cnpjs(id)).toEqual(['11444777000161', WITH_LETTERS]);
  });

  test('is added for clients that had their CNPJ before', async () => {
    const id = await createClient(olga, { name: 'Before', ...cnpj('48217306000120') });
    await db().deleteFrom('establishments').where('client_id', '=', id).execute();
    await addMissingHeadOffices(new AbortController().signal);
    await addMissingHeadOffices(new AbortController().signal);
    expect(await cnpjs(id)).toEqual(['48217306000120 head']);
  });

  test('does not keep a client that nothing else refers to, while a branch does', async () => {
    const unused = await createClient(olga, { name: 'Unused', ...cnpj('99421736000109') });
    expect(await removeUnusedClient(olga, unused)).toBe(true);
    const used = await createClient(olga, { name: 'Used', ...cnpj('99421736000109') });
    await addEstablishment(sam, used, { cnpj: BRANCH, name: 'Branch' });
    expect(await removeUnusedClient(olga, used)).toBe(false);
    expect(await cnpjs(used)).toEqual(['99421736000109 head', BRANCH]);
  });

  test('cannot be removed, nor get another CNPJ than the client', async () => {
    const [head] = await listEstablishments(sam, bakery);
    await expect(removeEstablishment(sam, head?.id ?? '')).rejects.toThrow('NOT_POSSIBLE');
    const change = { version: head?.version ?? 0, cnpj: BRANCH };
    await expect(changeEstablishment(sam, head?.id ?? '', change)).rejects.toThrow('INVALID');
  });
});

describe('a branch', () => {
  test('is added, changed by whoever saw the current one, removed, and may come back', async () => {
    const input = {
      cnpj: '99.304.518/0002-67',
      name: 'Vila Mariana',
      city: '3550308',
      restDays: [7, 6] as const,
    };
    const branch = await addEstablishment(sam, bakery, { ...input, restDays: [...input.restDays] });
    expect(branch).toMatchObject({ cnpj: BRANCH, restDays: [6, 7], version: 1, isHeadOffice: false });
    await expect(addEstablishment(sam, bakery, { cnpj: BRANCH, name: 'Twin' })).rejects.toThrow(
      'NAME_CONFLICT',
    );
    const changed = await changeEstablishment(sam, branch.id, { version: 1, name: 'Centro' });
    expect(changed).toMatchObject({ name: 'Centro', city: '3550308', version: 2 });
    await expect(changeEstablishment(sam, branch.id, { version: 1, name: 'Late' })).rejects.toThrow(
      'EDIT_CONFLICT',
    );
    await removeEstablishment(sam, branch.id);
    await expect(removeEstablishment(sam, branch.id)).rejects.toThrow('NOT_FOUND');
    await addEstablishment(sam, bakery, { cnpj: BRANCH, name: 'Again' });
    expect(await cnpjs(bakery)).toEqual([`${HEAD} head`, BRANCH]);
  });

  test.each([
    ['a wrong check digit', { cnpj: '99304518000268' }],
    ['a city that does not exist', { city: '9999999' }],
    ['no day of rest', { restDays: [] }],
    ['no name', { name: ' ' }],
  ])('is refused with %s', async (_, wrong) => {
    const input = { cnpj: WITH_LETTERS, name: 'Wrong', ...wrong };
    const path = `/api/br-payroll/v1/clients/${bakery}/establishments`;
    const answer = await apiAs(sam)('POST', path, { json: { ...input } });
    expect(answer.status).toBe(422);
  });

  test('is found by its CNPJ among all clients of the firm', async () => {
    expect(await establishmentsWithCnpj(firmOne, [HEAD, WITH_LETTERS])).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ clientId: bakery, cnpj: HEAD })]),
    );
    expect(await establishmentsWithCnpj(tom.companyId, [HEAD])).toEqual([]);
  });
});

test('establishments of merged clients are united: what both had is one, with what either knew', async () => {
  const from = await createClient(olga, { name: 'From', ...cnpj('20664179000199') });
  const into = await createClient(olga, { name: 'Into', ...cnpj('31550824000169') });
  await addEstablishment(sam, from, { cnpj: '44812095000113', name: 'Shared', city: '3509502' });
  await addEstablishment(sam, into, { cnpj: '44812095000113', name: 'Shared here' });
  await mergeClients(sessionAs(olga), from, into);
  expect(await listEstablishments(sam, into)).toMatchObject([
    { cnpj: '31550824000169', isHeadOffice: true },
    { cnpj: '20664179000199', isHeadOffice: false },
    { cnpj: '44812095000113', name: 'Shared here', city: '3509502' },
  ]);
});

describe('who may', () => {
  test('contacts see the establishments of their clients with the service requests, and change none', async () => {
    await expect(listEstablishments(ada, clientA)).rejects.toThrow('FORBIDDEN');
    await setFlag(olga, 'ServiceRequest.Denied', false);
    const contact = await actorOf(ada.contactId);
    expect(await listEstablishments(contact, clientA)).toEqual([]);
    await expect(listEstablishments(contact, clientB)).rejects.toThrow('NOT_FOUND');
    await expect(addEstablishment(contact, clientA, { cnpj: BRANCH, name: 'Mine' })).rejects.toThrow(
      'FORBIDDEN',
    );
  });

  test('staff keep those of their clients, unless they only read', async () => {
    await expect(addEstablishment(sam, clientTwo, { cnpj: BRANCH, name: 'Foreign' })).rejects.toThrow(
      'NOT_FOUND',
    );
    await expect(addEstablishment(reader, bakery, { cnpj: WITH_LETTERS, name: 'R' })).rejects.toThrow(
      'FORBIDDEN',
    );
    expect(await listEstablishments(reader, bakery)).toHaveLength(2);
    await archiveClients(olga, [bakery]);
    expect(await listEstablishments(sam, bakery)).toHaveLength(2);
  });
});
