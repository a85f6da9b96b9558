import { describe, expect, test } from 'vitest';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import { profileOf, saveProfile } from '#features/base/people/profile.server.ts';
import { watchLog } from '#platform/monitoring/log.server.ts';
import { apiAs, impersonating, seen } from '../../support/api.ts';
import { everyRow, makeCast } from '../../support/cast.ts';

/* The profile, the contact and the language of a person (spec 1 sections 3, 5 and 7). */

const { firmOne, firmTwo, ada, ben, sam, zoe } = await makeCast();
const CURRENT = '/api/profile/v1/users/current';
const input = {
  prefix: 'Dr.',
  firstName: 'Ada',
  middleName: 'B.',
  lastName: 'Amber',
  suffix: 'Jr.',
  language: 'fr',
};
const logged: string[] = [];
watchLog((_, { event }) => void logged.push(event));

describe('the profile', () => {
  test('a profile is saved and read by its owner, and the contact gets the new name', async () => {
    const answer = await apiAs(ada)('PUT', CURRENT, { json: input });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ...input,
        language: 'fr-CA',
        id: ada.prismGuid,
        email: 'ada@one.example',
        account: { companyName: 'Maple & Hart', contactId: ada.contactId },
      },
    ]);
    expect(await (await apiAs(ada)('GET', CURRENT)).json()).toEqual(await profileOf(ada));
    expect(await actorOf(ada.contactId)).toMatchObject({
      fullName: 'Dr. Ada B. Amber Jr.',
      firstName: 'Ada',
      language: 'fr-CA',
    });
    expect((await profileOf(ben)).firstName).toBe('Ben');
  });

  test.each([
    ['no first name', { firstName: ' ' }],
    ['a name that is too long', { lastName: 'x'.repeat(61) }],
    ['markup in the name', { middleName: '<b>' }],
    ['an e-mail address, which it cannot change', { email: 'other@one.example' }],
    ['a language that we do not have', { language: 'nl' }],
    ['a language that is none', { language: 'english' }],
  ])('a profile with %s is refused, and nothing changes', async (_, wrong) => {
    const before = await everyRow();
    expect((await apiAs(ada)('PUT', CURRENT, { json: { ...input, ...wrong } })).status).toBe(422);
    expect(await everyRow()).toEqual(before);
  });

  test('a name is stored without characters that turn the line around', async () => {
    const answer = await apiAs(ada)('PUT', CURRENT, { json: { ...input, lastName: 'Love\u202elace' } });
    expect(await answer.json()).toMatchObject({ lastName: 'Lovelace' });
  });

  test('a profile cannot be changed if the firm manages it, or while viewing as its owner', async () => {
    await decideAccess(
      firmOne,
      ben.contactId,
      { kind: 'control', name: 'ConfigureAccountInformation' },
      true,
    );
    const before = await everyRow();
    const stored = await actorOf(ben.contactId);
    expect((await apiAs(stored)('PUT', CURRENT, { json: input })).status).toBe(403);
    const look = impersonating(ada, sam);
    await expect(saveProfile(look, input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await apiAs(look.actor, look)('PUT', CURRENT, { json: input })).status).toBe(403);
    expect(await everyRow()).toEqual(before);
  });
});

describe('the language', () => {
  const put = (language: string, prismGuid = zoe.prismGuid): Promise<Response> =>
    apiAs(zoe)('PUT', `/api/profile/v1/users/${prismGuid}/language`, { json: { language } });

  test.each([
    ['pt', 'pt-BR'],
    ['es-AR', 'es-AR'],
    ['EN', 'en-US'],
    ['en-gb', 'en-GB'],
  ])('the language %s is stored as %s', async (code, stored) => {
    expect(await (await put(code)).json()).toEqual({ language: stored });
    expect((await actorOf(zoe.contactId)).language).toBe(stored);
    const before = await everyRow();
    await put(code);
    expect(await everyRow(), 'chosen again, nothing is written').toEqual(before);
  });

  test.each([
    ['zz', 'language.unknown'],
    ['nl-NL', 'language.unknown'],
    ['english', 'language.malformed'],
    ['e', 'language.malformed'],
    ['pt_BR', 'language.malformed'],
    ['', 'language.malformed'],
  ])('the invalid language %j changes nothing and is logged', async (code, event) => {
    const before = await everyRow();
    logged.length = 0;
    expect((await put(code)).status).toBe(422);
    expect([logged.includes(event), await everyRow()]).toEqual([true, before]);
  });

  test('setting the language of somebody else or of nobody is refused in the same way, with the message key of the spec', async () => {
    const [other, unknown] = [
      await seen(await put('pt', ada.prismGuid)),
      await seen(await put('pt', 'user_unknown')),
    ];
    expect([other, other.status]).toEqual([unknown, 404]);
    expect(other.body).toContain('bm.account.service.unableToLoadUser');
    expect((await actorOf(ada.contactId)).language).toBe('fr-CA');
  });
});

describe('the contact call', () => {
  const get = (actor: typeof ada, query: Record<string, string>): Promise<Response> =>
    apiAs(actor)('GET', `/api/profile/v1/contacts?${new URLSearchParams(query)}`);

  test('a contact is read by themselves and by staff of their firm', async () => {
    for (const actor of [ben, sam]) {
      const answer = await get(actor, { companyId: firmOne, contactId: ben.contactId });
      expect(await answer.json()).toEqual({
        CompanyId: firmOne,
        ContactId: ben.contactId,
        fullName: 'Ben Birch',
        givenName: 'Ben',
        additionalName: '',
        familyName: 'Birch',
        emailAddresses: [{ emailAddress: 'ben@one.example', isPrimary: true }],
      });
    }
  });

  test('a contact is requested by company id and contact id', async () => {
    for (const query of [{ companyId: firmOne }, { contactId: ben.contactId }])
      expect((await get(ben, query as Record<string, string>)).status).toBe(422);
  });

  test('a contact of somebody else, of another firm or under another firm is not found', async () => {
    const unknown = await seen(await get(ben, { companyId: firmOne, contactId: 'contact_unknown' }));
    for (const [actor, query] of [
      [ben, { companyId: firmOne, contactId: ada.contactId }],
      [sam, { companyId: firmTwo, contactId: zoe.contactId }],
      [sam, { companyId: firmOne, contactId: zoe.contactId }],
      [ben, { companyId: firmTwo, contactId: ben.contactId }],
    ] as const)
      expect(await seen(await get(actor, query))).toEqual(unknown);
  });
});
