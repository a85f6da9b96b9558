import type { Actor } from '#features/base/people/people.ts';
import { addClientMessage } from '#features/clients/client-messages/messages.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { forStaff, isSeenClient, toSignedIn, toStaffWithId } from '../../authz/page-policy.ts';
import type { ClientKey, Person, Thing } from '../../authz/policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    clientmessage: true;
  }
}

const path = '/api/client-center/v1/clients/{clientId}/messages';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/messages': toSignedIn,
    '/[base]/[lang]/staff/clients/[id]/messages': toStaffWithId,
  },
  ids: {
    'staff/clients/{id}/messages': {
      things: (things) => things.client,
      opens: forStaff((person, thing) => isSeenClient(person, thing)),
    },
  },
  rules: {
    [`get ${path}`]: { who: 'signed in', sees: ['clientId'] },
    [`post ${path}`]: {
      who: 'signed in',
      sees: ['clientId'],
      changes: ['client_messages', 'jobs', 'limits', 'notices'],
      updates: ['notices'],
    },
    // One's own only, not even for staff.
    [`delete ${path}/{messageId}`]: {
      who: 'signed in',
      sees: ['clientId', 'messageId'],
      within: ['messageId', 'clientId'],
      changes: ['client_messages'],
      trashes: true,
    },
  },
  requests: {
    [`get ${path}`]: [{ ids: { clientId: 'client' }, named: ['from'] }],
    [`post ${path}`]: [
      {
        ids: { clientId: 'client' },
        send: () => ({ json: { text: unique('A message') } }),
        named: ['isInternal'],
      },
    ],
    [`delete ${path}/{messageId}`]: [{ ids: { clientId: 'client', messageId: 'clientmessage' } }],
  },
  things: {
    kinds: { clientmessage: 'clientmessage' },
    make: async ({ authors, clients }) => ({ clientmessage: await makeMessages(authors, clients) }),
  },
  keys: { client_messages: 'message_id' },
  fuzz: {
    prepare: async ({ ada, known }) => {
      const { id } = await addClientMessage(ada, known['clientId']?.[0] ?? '', { text: 'Fine' });
      return {
        only: { [`DELETE ${path}/{messageId}`]: [known['clientId']?.[0] ?? ''] },
        known: { messageId: [id] },
      };
    },
  },
};

/** Messages, which only their authors can withdraw: that of staff is a note of the firm. */
async function makeMessages(
  authors: Partial<Record<Person, Actor>>,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const on: Partial<Record<Person, ClientKey>> = {
    'a sibling contact': 'sibling',
    'a contact of the other firm': 'other firm',
  };
  const things: Record<string, Thing> = {};
  for (const [author, actor] of Object.entries(authors) as [Person, Actor][]) {
    const client = clients[on[author] ?? 'own'];
    const { id } = await addClientMessage(actor, client.id, {
      text: 'Is this complete?',
      isInternal: actor.staff,
    });
    things[`of ${author}`] = { id, state: 'live', seenBy: [author], parent: client.id };
  }
  return { ...things, ...noIds('clientmessage') };
}
