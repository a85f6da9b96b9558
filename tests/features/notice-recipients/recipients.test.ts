import { beforeAll, expect, test } from 'vitest';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { invite, revokeInvitation } from '#features/identity/invitations/invitations.server.ts';
import { recipientsOf, recipientsOfMany } from '#features/clients/notice-recipients/recipients.server.ts';
import {
  sentenceOf,
  wayToNotify,
  withRecipients,
} from '#features/clients/notice-recipients/sentences.server.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import { changeRights, insertLink } from '#features/base/people/rights.server.ts';
import { visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { turnOffKind } from '#platform/mail/mail-delivery.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Who of a client gets an email, and why nobody does: what the forms of the firm say. */

const { firmOne, clientA, clientTwo, ada } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
let people = 0;
const contactOf = async (clientId: string, name: string) => {
  const contact = await person(firmOne, name, `reader-${(people += 1)}@one.example`);
  await insertLink(clientId, contact.contactId);
  return contact;
};
const fresh = (name: string) => createClient(olga, { name });
const whyNot = async (clientId: string, kind: 'documents' | 'comment' | 'task' = 'task') =>
  (await recipientsOf(olga, clientId, { kind }))?.unreached;

let lonely = '';
beforeAll(async () => {
  lonely = await fresh('Lonely Lighthouse');
});

test('the contacts who get an email are named, without those who turned it off or cannot sign in', async () => {
  const client = await fresh('Busy Bakery');
  const [ann, bob, cy] = [
    await contactOf(client, 'Ann Able'),
    await contactOf(client, 'Bob Blocked'),
    await contactOf(client, 'Cy Calm'),
  ];
  await changeRights(bob.contactId, { suspended_at: now() });
  await turnOffKind(cy.contactId, 'task');
  const told = await recipientsOf(olga, client, { kind: 'task' });
  expect(told).toEqual({
    clientId: client,
    client: 'Busy Bakery',
    names: ['Ann Able'],
    unreached: undefined,
  });
  expect((await recipientsOf(olga, client, { kind: 'comment' }))?.names).toEqual(['Ann Able', 'Cy Calm']);
  const readers = await readersOf(firmOne, client, 'contacts');
  expect(readers.map(({ fullName }) => fullName).toSorted(), 'those whom mails go to').toEqual([
    'Ann Able',
    'Cy Calm',
  ]);
  expect(ann.staff).toBe(false);
});

test('the reason why nobody gets an email is the first that has to be put right', async () => {
  expect(await whyNot(lonely)).toBe('no-contact');
  const { invitationId } = await invite(olga, {
    emailAddress: 'lou@new.example',
    firstName: 'Lou',
    lastName: 'Light',
    language: 'en-us',
    clientIds: [lonely],
  });
  expect(await whyNot(lonely)).toBe('invited');
  await revokeInvitation(olga, invitationId);
  expect(await whyNot(lonely)).toBe('no-contact');
  const lou = await contactOf(lonely, 'Lou Light');
  expect(await whyNot(lonely)).toBeUndefined();
  await turnOffKind(lou.contactId, 'task');
  expect([await whyNot(lonely), await whyNot(lonely, 'documents')]).toEqual(['turned-off', undefined]);
  const about = { kind: 'documents', maySee: () => false } as const;
  expect((await recipientsOf(olga, lonely, about))?.unreached).toBe('no-access');
  await changeRights(lou.contactId, { suspended_at: now() });
  expect(await whyNot(lonely)).toBe('locked-out');
  await changeRights(lou.contactId, { suspended_at: null, removed_at: now() });
  expect(await whyNot(lonely)).toBe('no-contact');
});

test('many clients are looked up at once, those of others not at all', async () => {
  const ids = [await fresh('Zed Ltd'), await fresh('Aber Ltd'), clientA, clientTwo];
  const found = await recipientsOfMany(olga, ids, {
    kind: 'task',
    maySee: (one) => visibleTypes(one).includes('misc'),
  });
  expect(found.map(({ client, unreached }) => [client, unreached])).toEqual([
    ['Aber Ltd', 'no-contact'],
    [found[1]?.client, undefined],
    ['Zed Ltd', 'no-contact'],
  ]);
  expect(found[1]?.names).toContain(ada.fullName);
  expect(await recipientsOf(olga, clientTwo, { kind: 'task' })).toBeUndefined();
});

test('every reason has a sentence, and a way to change it, in every language', () => {
  const pathTo = (page: string, query: object = {}): string => `${page} ${JSON.stringify(query)}`;
  const reasons = ['no-contact', 'invited', 'locked-out', 'no-access', 'turned-off'] as const;
  for (const lang of LANGS)
    for (const unreached of reasons) {
      const nobody = { clientId: 'c', client: 'Busy Bakery', names: [], unreached };
      expect(sentenceOf(lang, nobody)).toContain('Busy Bakery');
      expect(wayToNotify(lang, nobody, pathTo as App.Locals['pathTo'])?.label).toContain('Busy Bakery');
      expect(
        withRecipients(lang, { type: 'success', namespace: 'common', key: 'save' }, nobody),
      ).toMatchObject({
        type: 'warning',
        then: {
          namespace: 'notice-recipients',
          key: expect.stringMatching(/^nobody/) as string,
          vars: { client: 'Busy Bakery' },
        },
      });
    }
  const some = { clientId: 'c', client: 'x', names: ['Ann', 'Bob', 'Cy', 'Di', 'Ed'], unreached: undefined };
  expect(sentenceOf('en-us', some)).toBe('Ann, Bob, Cy, and 2 others will get an email.');
  expect(wayToNotify('en-us', some, pathTo as App.Locals['pathTo'])).toBeUndefined();
});
