import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { listOf } from '#features/tasks/questionnaires/lookups.server.ts';
import { actorIn, assertActsFor, type Env, type FeatureApi } from '#features/base/people/people.server.ts';
import type { Actor, Guard, Permission } from '#features/base/people/people.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import type { ReceiptKind } from '#features/base/receipts/kinds.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { audit, type AuditEntry } from '#platform/security/audit.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { defineEvent, when } from '#platform/runtime/events.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { parcels } from './planted-batch.ts';

/*
 * A feature that no list of the portal knows: visits to the firm's office, which clients ask for. It has one of
 * everything that a feature contributes. Its texts are borrowed, since it has no files of its own.
 */

interface Visit {
  id: string;
  clientId: string;
  name: string;
}
const asked: Visit[] = [];

const visitAsked = defineEvent<Visit & { companyId: string; contactId: string }>();
const visitConfirmed = defineEvent<{ id: string }>();

export const askForVisit = (actor: Actor, visit: Visit): Promise<void> =>
  inTransaction(async () => {
    asked.push(visit);
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'visit.ask' as AuditEntry['action'], // its type is not merged: no other file may use it
      target: visit.id,
      clientId: visit.clientId,
    });
    await issueReceipts({
      companyId: actor.companyId,
      kind: 'visit' as ReceiptKind,
      actor: actor.contactId,
      documents: [
        { documentId: visit.id, clientId: visit.clientId, name: visit.name, size: 0, sha256: sha256('') },
      ],
    });
    await visitAsked.announce({ ...visit, companyId: actor.companyId, contactId: actor.contactId });
  });

export const confirmVisit = (id: string): Promise<void> =>
  inTransaction(() => visitConfirmed.announce({ id }));

const id = z.string().max(60);
const visit = z.strictObject({ id: z.string(), clientId: z.string(), name: z.string() });

const visitsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });
visitsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/visits/v1/visits/{visitId}',
    summary: 'A visit of one of your clients',
    request: { params: z.object({ visitId: id }) },
    responses: responses(data(visit), 'The visit'),
  }),
  async (c) => {
    const wanted = c.req.valid('param').visitId;
    const found = asked.find((each) => each.id === wanted);
    if (!found) throw notFound();
    await assertActsFor(actorIn(c), found.clientId);
    return c.json({ data: found }, 200);
  },
);
visitsApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/visits/v1/clients/{clientId}/visits',
    summary: 'Ask for a visit',
    request: {
      params: z.object({ clientId: id }),
      body: jsonBody(z.strictObject({ name: z.string().min(1).max(100) })),
    },
    responses: responses(data(visit), 'The visit'),
  }),
  async (c) => {
    const { clientId } = c.req.valid('param');
    await assertActsFor(actorIn(c), clientId);
    const wanted = { id: newId('visit'), clientId, name: c.req.valid('json').name };
    await askForVisit(actorIn(c), wanted);
    return c.json({ data: wanted }, 200);
  },
);

/** Its pages, as src/routes.ts would list them. */
export const PLANTED_PAGES: Readonly<Record<string, Guard>> = {
  '/[base]/[lang]/visits': { who: 'signed-in' },
  '/[base]/[lang]/staff/visits': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/visits/new': { who: 'staff', permission: 'Publish' },
};

async function* askedBy(clientIds: readonly string[]) {
  await Promise.resolve();
  yield* asked.filter(({ clientId }) => clientIds.includes(clientId));
}

async function* contentOf(words: string) {
  await Promise.resolve();
  yield words;
}

/** What its visitors may. Its type is not merged: no other file may use it. */
export const VISIT = 'AskForVisits' as Permission;

/** When somebody visits the firm in the story of the demo. */
export const VISIT_IN_STORY = 12;

export const visits = defineFeature<FeatureApi>({
  name: 'visits',
  story: { americanFirm: (_, { later }) => later(VISIT_IN_STORY, () => Promise.resolve()) },
  api: {
    app: visitsApi,
    routes: [
      { method: 'get', path: '/api/visits/v1/visits/{visitId}', who: 'signed-in' },
      { method: 'post', path: '/api/visits/v1/clients/{clientId}/visits', who: 'signed-in' },
    ],
  },
  access: [
    {
      name: VISIT,
      own: { kind: 'permission', isUsual: false },
      place: 'asking for a visit',
      row: { group: 'team', order: 25, label: text('notes', 'submit') },
    },
  ],
  auditActions: { 'visit.ask': { text: text('notes', 'submit'), seenByClient: true } },
  liveCounts: { visits: (actors) => Promise.resolve(actors.map(() => asked.length)) },
  names: { visit: (ids) => Promise.resolve(asked.filter(({ id }) => ids.includes(id))) },
  answerRules: {
    visit: {
      inputs: { day: { kinds: ['date'] } },
      check: ({ day }) => [
        { id: 'closed', severity: 'informs', text: `Closed on ${String(day)}`, input: 'day' },
      ],
    },
  },
  lookups: {
    visits: listOf(({ clientId }) =>
      asked.filter((each) => each.clientId === clientId).map(({ id, name }) => ({ key: id, text: name })),
    ),
  },
  mails: { visit: { label: text('notes', 'comment'), optional: { contact: text('notes', 'field') } } },
  receiptKinds: { visit: { label: text('notes', 'comment'), filterOrder: 15 } },
  inbox: {
    visit: {
      icon: 'users',
      step: 'open',
      text: text('notes', 'title'),
      next: ({ key }, pathTo) => pathTo(`staff/visits/${key}`),
      sources: [
        when(visitAsked, ({ id, companyId, clientId, name }) => ({
          add: { companyId, clientId, key: id, target: id, name },
        })),
        when(visitConfirmed, ({ id }) => ({ resolve: [id] })),
      ],
    },
  },
  notifications: {
    visit: {
      text: text('notes', 'title'),
      icon: 'calendar',
      page: ({ target }) => `visits/${target}`,
      sources: [
        when(visitAsked, ({ id, companyId, clientId, contactId, name }) => ({
          add: { companyId, clientId, contactIds: [contactId], key: id, things: [{ target: id, name }] },
        })),
        when(visitConfirmed, ({ id }) => ({ resolve: [id] })),
      ],
    },
  },
  batches: { parcels },
  navigation: [
    { side: 'staff', page: 'staff/visits', order: 25, label: text('notes', 'list') },
    { side: 'new', group: 'client', page: 'staff/visits/new', order: 90, label: text('notes', 'list') },
    {
      side: 'client',
      page: 'visits',
      order: 60,
      label: text('notes', 'list'),
      isFor: ({ actor }) => !actor.staff,
    },
  ],
  calendarEvents: (_, { host, limit, link }) =>
    Promise.resolve(
      asked.slice(0, limit).map(({ id, clientId, name }) => ({
        uid: `${id}@${host}`,
        sequence: 1,
        changedAt: 0,
        on: '2026-12-24',
        title: name,
        url: link('visits', clientId),
      })),
    ),
  figures: [
    {
      id: 'visits',
      group: 'firm',
      order: 90,
      label: text('notes', 'list'),
      page: 'staff/inbox',
      query: (today) => ({ of: 'all', kind: 'visit', day: today }),
      count: () => Promise.resolve({ n: asked.length, isMore: false }),
    },
    { id: 'waiting-visits', group: 'firm', order: 91, label: text('notes', 'list'), inboxKind: 'visit' },
  ],
  overviewTables: [
    {
      id: 'visits',
      order: 90,
      title: text('notes', 'list'),
      columns: [text('notes', 'comment'), text('notes', 'list')],
      page: 'staff/inbox',
      load: ({ today }) =>
        Promise.resolve({
          rows: asked.map(({ name }) => ({ title: name, cells: [{ n: today.length, isMore: true }] })),
          empty: '',
        }),
    },
  ],
  widgets: [
    {
      id: 'visits',
      section: 1,
      order: 20,
      page: 'home',
      title: text('notes', 'list'),
      load: () =>
        Promise.resolve({
          rows: asked.map(({ name, clientId }) => ({ title: name, href: 'visits', clientId })),
        }),
    },
  ],
  importKinds: {
    visits: {
      kind: 'visits',
      title: text('notes', 'list'),
      order: 15,
      fields: [{ name: 'visitor', label: text('notes', 'comment'), headers: ['guest'], isRequired: true }],
      keyOf: ({ visitor }) => visitor,
      labelOf: ({ visitor = '' }) => visitor,
      assertMay: ({ staff }) => {
        if (!staff) throw new PortalError('FORBIDDEN');
      },
      check: (_, rows) => Promise.resolve(rows.map(() => ({ action: 'create' }))),
      apply: (_, rows) => Promise.resolve(rows.map(({ values }) => ({ target: values['visitor'] ?? '' }))),
      undo: () => Promise.resolve(undefined),
      list: () => Promise.resolve(asked.map(({ name }) => [name])),
    },
  },
  search: [
    {
      kind: 'visits',
      order: 45,
      label: text('notes', 'list'),
      icon: 'calendar',
      page: 'home',
      isFor: ({ session: { actor } }) => !actor.staff,
      find: ({ actor, text: wanted }) =>
        Promise.resolve({
          hits: asked
            .filter(({ name }) => !actor.staff && name.includes(wanted))
            .map(({ id, name }) => ({ title: name, href: `visits/${id}` })),
        }),
    },
  ],
  companyFacts: () =>
    Promise.resolve(
      asked.map(({ clientId }) => ({
        clientId,
        page: 'visits',
        note: { text: 'Comment' },
        isWaiting: true,
        newestAt: 0,
      })),
    ),
  exports: [
    {
      of: 'client',
      name: 'visits.csv',
      text: text('notes', 'list'),
      content: ({ lang }, { ids }) => exportedTable(lang, ['id', 'name'], askedBy(ids)),
      attached: async function* (_, { ids }) {
        for await (const { id, name } of askedBy(ids))
          yield { name: `${id}.txt`, content: () => contentOf(name) };
      },
    },
    {
      of: 'export',
      name: 'visitors.txt',
      text: text('notes', 'hint'),
      isInternal: true,
      content: () => contentOf('Nobody else'),
    },
  ],
  settings: [
    {
      page: 'staff/visits',
      group: 'records',
      icon: 'users',
      order: 65,
      title: text('notes', 'list'),
      text: text('notes', 'hint'),
      permission: 'ManageFirm',
      state: () => Promise.resolve(`${asked.length} visits`),
    },
  ],
});
