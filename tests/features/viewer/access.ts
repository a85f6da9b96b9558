import type { FeatureAccess } from '../../authz/feature-access.ts';
import { isSeen, toSignedInWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/storage/v1/documents/{documentId}/pages/{page}': {
      who: 'signed in',
      sees: ['documentId'],
      changes: ['document_reads', 'limits'],
    },
  },
  requests: {
    'get /api/storage/v1/documents/{documentId}/pages/{page}': [
      { ids: { documentId: 'any document' }, send: () => ({ query: { width: '700' } }) },
    ],
  },
  pages: {
    '/[base]/[lang]/documents/[documentId]': toSignedInWithId,
    '/[base]/[lang]/documents/[documentId]/view': toSignedInWithId,
  },
  ids: {
    'documents/': {
      things: (things) => things['any document'],
      opens: (person, thing) => (isSeen(person, thing) ? 303 : 404),
    },
    'documents/{id}/view': {
      things: (things) => things['any document'],
      opens: (person, thing) => (isSeen(person, thing) ? 200 : 404),
    },
  },
};
