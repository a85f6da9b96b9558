import type { Actor } from '#features/base/people/people.ts';
import { addComment } from '#features/documents/comments/comments.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { isSeen, toSignedInWithId } from '../../authz/page-policy.ts';
import { actsFor, type ClientKey, type Person, type Thing } from '../../authz/policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { noIds, type WorldSoFar } from '../../authz/things.ts';
import { uploadAs } from '../../support/cast.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    comment: true;
  }
}

export const access: FeatureAccess = {
  rules: {
    'post /api/notes/v1/comments/': {
      who: 'signed in',
      sees: ['documentId'],
      changes: ['comments', 'jobs', 'limits', 'notices'],
      updates: ['notices'],
    },
    'post /api/notes/v1/comments/search': { forReaders: true, who: 'signed in', narrows: ['documentId'] },
    'get /api/notes/v1/comments': { who: 'signed in', sees: ['documentId'] },
    // One's own only, not even for staff.
    'delete /api/notes/v1/comments/{id}': {
      who: 'signed in',
      sees: ['id'],
      changes: ['comments'],
      trashes: true,
    },
  },
  requests: {
    'post /api/notes/v1/comments/': [
      {
        ids: { documentId: 'any document' },
        send: ({ documentId = '' }) => ({ json: { documentId, text: unique('A remark') } }),
      },
    ],
    'post /api/notes/v1/comments/search': [
      { ids: { documentId: 'any document' }, send: ({ documentId = '' }) => ({ json: [documentId] }) },
    ],
    'get /api/notes/v1/comments': [
      {
        ids: { documentId: 'any document' },
        send: ({ documentId = '' }) => ({ query: { documentId } }),
        named: ['from'],
      },
    ],
    'delete /api/notes/v1/comments/{id}': [{ ids: { id: 'comment' } }],
  },
  pages: {
    '/[base]/[lang]/documents/[documentId]/comments': toSignedInWithId,
  },
  ids: {
    'documents/{id}/comments': {
      things: (things) => things['any document'],
      // A URL with another client than the active one first redirects to that client.
      opens: (person, thing) =>
        !isSeen(person, thing) ? 404 : thing.client === actsFor(person)[0] ? 200 : 303,
    },
  },
  things: {
    kinds: { comment: 'comment' },
    make: async ({ authors, clients }) => ({ comment: await makeComments(authors, clients) }),
  },
  fuzz: {
    prepare: async ({ ada, projectA }) => {
      const { id } = await addComment(ada, {
        documentId: (await uploadAs(ada, projectA, 'Commented.pdf', 'c')).id,
        text: 'Fine',
      });
      return { only: { 'DELETE /api/notes/v1/comments/{id}': [id] } };
    },
  },
};

/** Comments, which only their authors can delete, on documents that no other call removes. */
async function makeComments(
  authors: Partial<Record<Person, Actor>>,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const on: Partial<Record<Person, ClientKey>> = {
    'the own contact': 'own',
    staff: 'own',
    'a sibling contact': 'sibling',
    'a contact of the other firm': 'other firm',
  };
  const things: Record<string, Thing> = {};
  for (const [author, actor] of Object.entries(authors) as [Person, Actor][]) {
    const client = clients[on[author] ?? 'own'];
    const { id } = await addComment(actor, {
      documentId: client.papers.Folder.id,
      text: `${client.papers.Folder.name} is fine`,
    });
    things[`of ${author}`] = { id, state: 'live', seenBy: [author] };
  }
  return { ...things, ...noIds('comment') };
}
