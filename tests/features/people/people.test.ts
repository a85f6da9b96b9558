import { describe, expect, test } from 'vitest';
import {
  accountsOf,
  actorOf,
  clientIdsOf,
  createContact,
  createUser,
  decideAccess,
  staffWith,
} from '#features/base/people/people.server.ts';
import { startPage, type Actor } from '#features/base/people/people.ts';
import { at, HOUR } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { client, makeCast, person, unlink } from '../../support/cast.ts';

const { ada, cleo, sam, zoe, tom, firmOne, firmTwo, clientA, clientB, clientTwo } = await makeCast();
const clientsOf = async (actor: Actor) =>
  (await clientIdsOf(actor).execute()).map(({ client_id }) => client_id).sort();

describe('users', () => {
  test('a user is one person with an account in each firm, the oldest first', async () => {
    const daniel = await createUser({
      email: 'daniel@two.example',
      firstName: 'Daniel',
      lastName: 'Two',
      language: 'en-US',
      passwordHash: 'none',
    });
    const second = await at(Date.UTC(2026, 5, 2), () =>
      createContact({ companyId: firmOne, prismGuid: daniel, fullName: 'Daniel, second' }),
    );
    const first = await at(Date.UTC(2026, 5, 2) - HOUR, () =>
      createContact({ companyId: firmTwo, prismGuid: daniel, fullName: 'Daniel, first' }),
    );
    expect((await accountsOf(daniel)).map(({ contactId, companyId }) => [contactId, companyId])).toEqual([
      [first, firmTwo],
      [second, firmOne],
    ]);
    expect((await actorOf(second)).prismGuid).toBe(daniel);
    expect(await accountsOf(newId('user'))).toEqual([]);
  });

  test('a user has a unique email address, regardless of case', async () => {
    await expect(
      createUser({
        email: 'ADA@one.example',
        firstName: 'A',
        lastName: 'A',
        language: 'en-US',
        passwordHash: 'none',
      }),
    ).rejects.toThrow();
  });

  test('a user is a contact of a firm once', async () => {
    await expect(
      createContact({ companyId: firmOne, prismGuid: ada.prismGuid, fullName: 'Ada again' }),
    ).rejects.toThrow();
  });
});

test('staff start in the staff area, contacts on the dashboard, else on their tasks if one waits, else on the documents', async () => {
  expect([startPage(ada, true), startPage(ada, false), startPage(sam, false)]).toEqual([
    'home',
    'home',
    'staff',
  ]);
  await decideAccess(firmOne, undefined, { kind: 'flag', name: 'homePage' }, false);
  const { access } = await actorOf(ada.contactId);
  const allDocuments = { ...access, permissions: new Set(['AllDocsOnly'] as const) };
  expect([
    startPage(await actorOf(sam.contactId), false),
    startPage({ ...ada, access }, true),
    startPage({ ...ada, access }, false),
    startPage({ ...ada, access: allDocuments }, true),
  ]).toEqual(['staff', 'tasks', 'documents', 'documents']);
  await decideAccess(firmOne, undefined, { kind: 'flag', name: 'homePage' }, undefined);
});

describe('contacts', () => {
  test('a contact is found with name, firm and permissions', async () => {
    expect(await actorOf(ada.contactId)).toMatchObject({
      fullName: 'Ada Amber',
      firstName: 'Ada',
      lastName: 'Amber',
      emailAddress: 'ada@one.example',
      companyId: firmOne,
      staff: false,
      firmLocked: false,
    });
    expect((await actorOf(sam.contactId)).staff).toBe(true);
    await expect(actorOf(newId('contact'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('only authorized staff of the firm get its internal mails', async () => {
    const [owner] = [
      await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' }),
      await person(firmTwo, 'Otto Owner', 'otto@two.example', { role: 'owner' }),
    ];
    await decideAccess(firmOne, ada.contactId, { kind: 'permission', name: 'ManageFirm' }, true);
    expect((await staffWith(firmOne, 'ManageFirm')).map(({ contactId }) => contactId)).toEqual([
      owner.contactId,
    ]);
  });

  test('a contact may act for their linked clients, staff for every client of the firm and no other', async () => {
    expect(await clientsOf(ada)).toEqual([clientA]);
    expect(await clientsOf(cleo)).toEqual([clientA, clientB].sort());
    expect(await clientsOf(sam)).toEqual([clientA, clientB].sort());
    expect(await clientsOf(zoe)).toEqual([clientTwo]);
    expect(await clientsOf(tom)).toEqual([clientTwo]);
  });

  test('a contact in two firms acts in one of them only for its clients', async () => {
    const first = await person(firmOne, 'Una Two', 'una@two.example');
    const second = await actorOf(
      await createContact({
        companyId: firmTwo,
        prismGuid: first.prismGuid,
        fullName: 'Una Two',
        role: 'member',
      }),
    );
    const mine = await client(firmOne, 'Una Inc', 'U', [first]);
    expect(await clientsOf(first)).toEqual([mine]);
    expect(await clientsOf(second)).toEqual([clientTwo]);
    await unlink(mine, first);
    expect(await clientsOf(first)).toEqual([]);
  });
});
