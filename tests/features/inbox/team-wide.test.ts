import { afterAll, expect, test } from 'vitest';
import { contributedSources } from '#features/office/inbox/contributions.server.ts';
import { inboxCounts } from '#features/office/inbox/inbox.server.ts';
import { defineEvent, when } from '#platform/runtime/events.server.ts';
import { compose, composition } from '#platform/runtime/feature.server.ts';
import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';

/* Kinds that are for the whole team: who may not see them has no row of them, because they are about no client. */

const { sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const happened = defineEvent<{ clientId: string | null }>();
const all = composition();
compose([
  {
    name: 'planted',
    inbox: {
      planted: {
        text: { namespace: 'inbox', key: 'title' },
        icon: 'inbox',
        step: 'reply',
        next: () => '',
        isFor: ({ role }) => role === 'owner',
        isTeamWide: true,
        sources: [
          when(happened, ({ clientId }) => ({
            add: { companyId: firmOne, clientId, key: 'a', target: 'planted_1', name: 'Planted' },
          })),
        ],
      },
    },
  },
]);
for (const source of contributedSources()) source.begin();
afterAll(() => compose(all));

test('a row about no client is for those who may see its kind, and for no one else', async () => {
  await happened.announce({ clientId: null });
  expect(await inboxCounts(olga)).toEqual({ mine: 1, all: 1 });
  expect(await inboxCounts(sam)).toEqual({ mine: 0, all: 0 });
});

test('a row about a client is refused for such a kind: it would be seen by all who act for the client', async () => {
  await expect(happened.announce({ clientId: clientA })).rejects.toThrow('they are about no client');
});
