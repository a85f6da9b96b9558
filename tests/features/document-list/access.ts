import type { FeatureAccess } from '../../authz/feature-access.ts';
import { isSeen, isSeenClient, nowhere, toSignedIn } from '../../authz/page-policy.ts';
import { actsFor, isSignedIn } from '../../authz/policy.ts';
import { containersOf } from '../../authz/things.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/documents': toSignedIn,
    '/[base]/[lang]/partials/documents': (person) =>
      isSignedIn(person) && actsFor(person).length === 0 ? nowhere : toSignedIn(person),
  },
  ids: {
    'documents?client=': {
      things: (things) => things.client,
      opens: (person, thing) => (isSeenClient(person, thing) ? 200 : 303),
    },
    'documents?folder=': {
      things: (things) => containersOf(things),
      opens: (person, thing) =>
        actsFor(person).length === 0 || (isSeen(person, thing) && thing.client === actsFor(person)[0])
          ? 200
          : 404,
    },
    'partials/documents?client=': {
      things: (things) => things.client,
      opens: (person, thing) => (isSeenClient(person, thing) ? 200 : 404),
    },
    'partials/documents?folder=': {
      things: (things) => containersOf(things),
      opens: (person) => (actsFor(person).length === 0 ? 404 : 200),
    },
    'documents?document=': {
      things: (things) => things['any document'],
      opens: (person, thing) => (isSeen(person, thing) ? 200 : 404),
    },
  },
};
