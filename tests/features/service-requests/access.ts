import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import type { Thing } from '../../authz/policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { type ClientOfWorld, live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    'service request': true;
  }
}

export const access: FeatureAccess = {
  rules: {
    // those of the fixture are drafts that the firm has begun: tests/features/service-requests has what is done with others
    'get /api/service-request/v1/forms/{type}': { who: 'staff' },
    'get /api/service-request/v1/requests': { who: 'staff', sees: ['clientId'] },
    'post /api/service-request/v1/requests': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['service_requests', 'service_request_numbers', 'service_request_forms'],
      ofClient: ['service_requests', 'service_request_numbers', 'service_request_forms'],
    },
    'get /api/service-request/v1/requests/{id}': { who: 'staff', sees: ['id'] },
    'delete /api/service-request/v1/requests/{id}': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'post /api/service-request/v1/requests/{id}/answers': {
      who: 'staff',
      sees: ['id'],
      changes: ['service_request_answers', 'service_request_kept_answers', 'service_requests'],
      ofClient: ['service_request_answers', 'service_request_kept_answers', 'service_requests'],
    },
    'get /api/service-request/v1/requests/{id}/lookups/{list}': {
      who: 'staff',
      sees: ['id'],
      answers: [404],
    },
    'post /api/service-request/v1/requests/{id}/sections/{section}': {
      who: 'staff',
      sees: ['id'],
      changes: ['service_request_answers', 'service_requests'],
      ofClient: ['service_request_answers', 'service_requests'],
    },
    'get /api/service-request/v1/requests/{id}/rules': { who: 'staff', sees: ['id'] },
    'post /api/service-request/v1/requests/{id}/check': { who: 'staff', sees: ['id'], forReaders: true },
    'post /api/service-request/v1/requests/{id}/submit': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'post /api/service-request/v1/requests/{id}/take-back': {
      who: 'staff',
      sees: ['id'],
      answers: [404, 409],
    },
    'post /api/service-request/v1/requests/{id}/messages': {
      who: 'staff',
      sees: ['id'],
      answers: [404, 409],
      changes: ['limits'],
    },
    'post /api/service-request/v1/requests/{id}/ask': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'post /api/service-request/v1/requests/{id}/return': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'post /api/service-request/v1/requests/{id}/reply': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'post /api/service-request/v1/requests/{id}/cancel': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'post /api/service-request/v1/requests/{id}/reopen': { who: 'staff', sees: ['id'], answers: [404, 409] },
    'get /api/service-request/v1/requests/{id}/submissions/{number}': {
      who: 'staff',
      sees: ['id'],
      answers: [404],
    },
    'get /api/service-request/v1/requests/{id}/export': { who: 'staff', sees: ['id'], answers: [404] },
    'get /api/service-request/v1/settings/{type}': { who: 'staff' },
    'put /api/service-request/v1/settings/{type}': { who: 'nobody here' },
  },
  requests: {
    'get /api/service-request/v1/forms/{type}': [{ ids: {}, path: { type: 'generalRequests' } }],
    'get /api/service-request/v1/requests': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ query: { clientId } }),
        named: ['category', 'startIndex', 'itemsPerPage'],
      },
    ],
    'post /api/service-request/v1/requests': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({ json: { clientId, type: 'generalRequests' } }),
        named: ['employeeId'],
      },
    ],
    'get /api/service-request/v1/requests/{id}': [{ ids: { id: 'service request' } }],
    'delete /api/service-request/v1/requests/{id}': [{ ids: { id: 'service request' } }],
    'post /api/service-request/v1/requests/{id}/answers': [
      {
        ids: { id: 'service request' },
        send: () => ({
          json: {
            tab: 'tabOfTheTests',
            language: 'en-us',
            changes: [{ path: 'request.subject', value: unique('Subject'), base: 0, sequence: 1 }],
          },
        }),
      },
    ],
    'get /api/service-request/v1/requests/{id}/lookups/{list}': [
      { ids: { id: 'service request' }, path: { list: 'countries' }, named: ['q', 'language'] },
    ],
    'post /api/service-request/v1/requests/{id}/sections/{section}': [
      {
        ids: { id: 'service request' },
        path: { section: 'request' },
        send: () => {
          const form = new FormData();
          form.append('request.subject', unique('Subject'));
          return { form };
        },
        named: ['r', 'upload'],
      },
    ],
    'get /api/service-request/v1/requests/{id}/rules': [
      { ids: { id: 'service request' }, named: ['language'] },
    ],
    'post /api/service-request/v1/requests/{id}/check': [
      { ids: { id: 'service request' }, named: ['language'] },
    ],
    'post /api/service-request/v1/requests/{id}/submit': [
      { ids: { id: 'service request' }, send: () => ({ json: {} }), named: ['confirmations'] },
    ],
    'post /api/service-request/v1/requests/{id}/take-back': [
      { ids: { id: 'service request' }, send: () => ({ json: {} }) },
    ],
    'post /api/service-request/v1/requests/{id}/messages': [
      {
        ids: { id: 'service request' },
        send: () => ({ json: { text: unique('A message') } }),
        named: ['isInternal'],
      },
    ],
    'post /api/service-request/v1/requests/{id}/ask': [
      { ids: { id: 'service request' }, send: () => ({ json: { text: unique('A question') } }) },
    ],
    'post /api/service-request/v1/requests/{id}/return': [
      {
        ids: { id: 'service request' },
        send: () => ({ json: { marks: [{ path: 'request.subject', reason: unique('A reason') }] } }),
      },
    ],
    'post /api/service-request/v1/requests/{id}/reply': [
      {
        ids: { id: 'service request' },
        send: () => ({ json: { outcome: 'done', text: unique('A reply') } }),
        named: ['documentIds'],
      },
    ],
    'post /api/service-request/v1/requests/{id}/cancel': [
      { ids: { id: 'service request' }, send: () => ({ json: { text: unique('A reason') } }) },
    ],
    'post /api/service-request/v1/requests/{id}/reopen': [
      { ids: { id: 'service request' }, send: () => ({ json: { text: unique('A reason') } }) },
    ],
    'get /api/service-request/v1/requests/{id}/submissions/{number}': [{ ids: { id: 'service request' } }],
    'get /api/service-request/v1/requests/{id}/export': [
      { ids: { id: 'service request' }, named: ['format'] },
    ],
    'get /api/service-request/v1/settings/{type}': [{ ids: {}, path: { type: 'generalRequests' } }],
    'put /api/service-request/v1/settings/{type}': [
      {
        ids: {},
        path: { type: 'generalRequests' },
        send: () => ({ json: { isOpen: true, lapseDays: 30, questions: {} } }),
      },
    ],
  },
  placeholders: { requestId: 'request_0' },
  things: {
    kinds: { 'service request': 'request' },
    make: async ({ staff, otherStaff, clients }) => ({
      'service request': await makeServiceRequests(staff, otherStaff, clients),
    }),
  },
  keys: { service_requests: 'request_id' },
  fuzz: {
    prepare: async ({ ada, olga, clientA }) => {
      await setFlag(olga, 'ServiceRequest.Denied', false);
      const requester = await actorOf(ada.contactId);
      const begin = () => beginRequest(requester, { clientId: clientA, type: 'generalRequests' });
      const [begun, unwanted] = [await begin(), await begin()];
      return {
        known: { type: ['generalRequests', 'vacationNotice'] },
        only: {
          'GET /api/service-request/v1/requests/{id}': [begun],
          'DELETE /api/service-request/v1/requests/{id}': [unwanted],
        },
      };
    },
    notHere: {
      'POST /api/service-request/v1/requests': 'kinds seldom fit by chance',
      'POST /api/service-request/v1/requests/{id}/check':
        'a draft and a language seldom fit together by chance',
      'GET /api/service-request/v1/requests/{id}/rules':
        'a draft and a language seldom fit together by chance',
      'PUT /api/service-request/v1/settings/{type}': 'a list of anything is seldom a list of questions',
      'POST /api/service-request/v1/requests/{id}/ask': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/cancel': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/reopen': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/reply': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/return': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/submit': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/take-back': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/sections/{section}': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/answers': 'no request was sent',
      'POST /api/service-request/v1/requests/{id}/messages': 'no request was sent',
      'GET /api/service-request/v1/requests/{id}/export': 'no request was sent',
      'GET /api/service-request/v1/requests/{id}/lookups/{list}': 'no request was sent',
      'GET /api/service-request/v1/requests/{id}/submissions/{number}': 'no request was sent',
    },
  },
};

/** A service request of each client, which the firm has begun, and one that was deleted. */
async function makeServiceRequests(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const begin = (by: Actor, { id: clientId }: ClientOfWorld): Promise<string> =>
    beginRequest(by, { clientId, type: 'generalRequests' });
  const removed = await begin(staff, clients.own);
  await db()
    .updateTable('service_requests')
    .set({ deleted_at: now() })
    .where('request_id', '=', removed)
    .execute();
  return {
    own: live(await begin(staff, clients.own), 'own'),
    sibling: live(await begin(staff, clients.sibling), 'sibling'),
    'staff only': live(await begin(staff, clients['staff only']), 'staff only'),
    'other firm': live(await begin(otherStaff, clients['other firm']), 'other firm'),
    removed: { id: removed, state: 'deleted', client: 'own' },
    ...noIds('request'),
  };
}
