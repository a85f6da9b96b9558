import { newId } from '#platform/security/crypto.server.ts';
import type { FeatureAccess } from '../authz/feature-access.ts';
import { toManagers, toSignedIn, toWriters } from '../authz/page-policy.ts';
import { unique } from '../authz/request-fixtures.ts';
import { live, noIds, type Kind } from '../authz/things.ts';
import { askForVisit } from './planted-feature.ts';

/* The access.ts of the planted feature. */

const VISIT = 'visit' as Kind; // not merged: no other file has one

export const access: FeatureAccess = {
  rules: {
    'get /api/visits/v1/visits/{visitId}': { who: 'signed in', sees: ['visitId'] },
    'post /api/visits/v1/clients/{clientId}/visits': {
      who: 'signed in',
      sees: ['clientId'],
      changes: ['receipts'],
    },
  },
  requests: {
    'get /api/visits/v1/visits/{visitId}': [{ ids: { visitId: VISIT } }],
    'post /api/visits/v1/clients/{clientId}/visits': [
      { ids: { clientId: 'client' }, send: () => ({ json: { name: unique('A visit') } }) },
    ],
  },
  pages: {
    '/[base]/[lang]/visits': toSignedIn,
    '/[base]/[lang]/staff/visits': toManagers,
    '/[base]/[lang]/staff/visits/new': toWriters,
  },
  things: {
    kinds: { [VISIT]: 'visit' },
    make: async ({ staff, otherStaff, clients }) => {
      const ask = async (key: 'own' | 'sibling' | 'other firm') => {
        const id = newId('visit');
        const { id: clientId, papers } = clients[key];
        await askForVisit(key === 'other firm' ? otherStaff : staff, {
          id,
          clientId,
          name: `Visit about ${papers.Folder.name}`,
        });
        return live(id, key);
      };
      return {
        [VISIT]: {
          own: await ask('own'),
          sibling: await ask('sibling'),
          'other firm': await ask('other firm'),
          ...noIds('visit'),
        },
      };
    },
  },
  fuzz: {
    prepare: async ({ ada, clientA }) => {
      const id = newId('visit');
      await askForVisit(ada, { id, clientId: clientA, name: 'A visit' });
      return { known: { visitId: [id] } };
    },
  },
};
