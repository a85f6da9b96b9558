import { sql } from 'kysely';
import { defineGrid, type CellContext } from '#features/base/grids/define.server.ts';
import type { GridRow } from '#features/base/grids/grids.ts';
import {
  invitedResponsible,
  type InvitedStaff,
} from '#features/identity/invitations/invited-staff.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { isLang, LANGUAGES } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { soughtClients } from './client-search.server.ts';
import { nameOfInvited } from './list-choices.server.ts';
import { pendingOf } from './pending.server.ts';
import { MAX_COUNTED } from './rules.ts';

/** A client as the list of the firm shows it. */
interface ListedClient {
  id: string;
  name: string;
  doingBusinessAs: string;
  code: string;
  kind: 'business' | 'individual';
  tags: string[];
  responsible: string[];
  /** Those who were invited to the team, and will be responsible. */
  invited: InvitedStaff[];
  language: string;
  yearEnd: string;
  contacts: number;
  /** The entries of the client in the firm's inbox; counted up to {@link MAX_COUNTED}. */
  waiting: number;
  lastActivityAt: number | undefined;
}

/** The current clients of the firm, or the archived ones. */
const gridOf = (name: string, isArchived: boolean) =>
  defineGrid({
    name,
    namespace: 'records',
    path: `/api/staff/v1/grids/${name}`,
    caption: 'title',
    submit: 'filter',
    empty: isArchived ? 'noArchived' : 'noClient',
    noMatch: 'noMatch',
    from: (actor, query) => {
      if (!actor.staff) throw new PortalError('FORBIDDEN');
      return soughtClients(actor, { isArchived, query });
    },
    id: sql.ref('clients.client_id'),
    columns: {
      name: {
        label: 'name',
        type: 'text',
        sql: sql.ref('clients.name_key'),
        isRowHeader: true,
        cell: ({ id, name: text, doingBusinessAs }, { pathTo }) => ({
          text,
          href: pathTo(`staff/clients/${id}`),
          ...(doingBusinessAs !== '' && { note: doingBusinessAs }),
        }),
      },
      code: {
        label: 'code',
        type: 'text',
        sql: sql.ref('clients.code_key'),
        textStyle: 'meta',
        cell: ({ code }) => code,
      },
      kind: {
        label: 'kind',
        type: 'choice',
        isHidden: true,
        sql: sql.ref('clients.kind'),
        isSortable: false,
        isGroupable: true,
        textStyle: 'phrase',
        options: [
          ['business', 'business'],
          ['individual', 'individual'],
        ],
        cell: ({ kind }, { t }) => t(kind),
      },
      tags: {
        label: 'tags',
        type: 'text',
        isMinor: true,
        textStyle: 'phrase',
        cell: ({ tags }) => tags.join(', '),
      },
      responsible: {
        label: 'responsible',
        type: 'text',
        isMinor: true,
        textStyle: 'person',
        cell: ({ responsible, invited }, { lang }) =>
          [...responsible, ...invited.map((person) => nameOfInvited(lang, person))].join(', '),
      },
      language: {
        label: 'language',
        type: 'exact',
        sql: sql.ref('clients.language'),
        isSortable: false,
        isFilterable: false,
        isGroupable: true,
        isHidden: true,
        textStyle: 'phrase',
        groupTexts: (_, tags) => Promise.resolve(new Map(tags.map((tag) => [tag, languageName(tag)]))),
        cell: ({ language }) => languageName(language),
      },
      yearEnd: {
        label: 'yearEnd',
        type: 'exact',
        sql: sql.ref('clients.year_end'),
        isSortable: false,
        isFilterable: false,
        isGroupable: true,
        isHidden: true,
        textStyle: 'meta',
        cell: ({ yearEnd }) => yearEnd,
      },
      contacts: {
        label: 'contacts',
        type: 'number',
        sql: sql`(select count(*) from client_contacts where client_contacts.client_id = clients.client_id)`,
        isSortable: false,
        isGroupable: true,
        isMinor: true,
        textStyle: 'meta',
        cell: ({ contacts }) => String(contacts),
      },
      // what the firm has not dealt with: uploads, comments and the like
      waiting: {
        label: 'waiting',
        type: 'text',
        isLabelled: true,
        isShort: true,
        cell: ({ waiting }, { lang }) =>
          waiting === 0
            ? undefined
            : {
                text: `${formatNumber(LANGUAGES[lang], waiting)}${waiting >= MAX_COUNTED ? '+' : ''}`,
                chip: { tone: 'info', icon: 'inbox' },
              },
      },
      lastActivityAt: {
        label: 'lastActivity',
        type: 'time',
        textStyle: 'meta',
        cell: ({ lastActivityAt: at }) => (at === undefined ? undefined : { text: '', at }),
      },
    },
    orderBy: [{ by: 'name', dir: 'asc' }],
    search: { label: 'search', isInFrom: true },
    fields: {
      kind: {
        kind: 'select',
        label: 'kind',
        by: 'kind',
        op: 'EQ',
        options: [
          ['', 'all'],
          ['business', 'business'],
          ['individual', 'individual'],
        ],
      },
      tag: { kind: 'select', label: 'tag', isInFrom: true },
      responsible: { kind: 'select', label: 'responsible', isInFrom: true },
      state: {
        kind: 'select',
        label: 'state',
        options: [
          ['', 'current'],
          ['archived', 'archived'],
        ],
        // the page chooses the list by it
        isInFrom: true,
      },
    },
    rows: described,
    idOf: ({ id }) => id,
    nameOf: ({ name: text }) => text,
    actions: (row, actor, context) => actionsOf(row, actor, { ...context, isArchived }),
  });

/** What is done from the list for one client. */
function actionsOf(
  { id, name: clientName, contacts }: ListedClient,
  { access: { permissions } }: Actor,
  { lang, t, pathTo, isArchived }: CellContext<KeysOf<'records'>> & { isArchived: boolean },
): GridRow['actions'] {
  const mayPublish = permissions.has('Publish') && !isArchived;
  return [
    ...(mayPublish
      ? [
          {
            label: translationsFor(lang, 'publishing')('title'),
            href: pathTo('staff/publish', { to: id }),
          },
          {
            label: translationsFor(lang, 'tasks')('askDocuments'),
            href: pathTo('staff/tasks/new', { to: id }),
          },
        ]
      : []),
    { label: t('documents'), href: pathTo('documents', { client: id }) },
    ...(contacts > 0
      ? [{ label: t('contacts'), href: pathTo('staff/people', { who: 'contacts', clientName }) }]
      : []),
    ...(permissions.has('ManageClients')
      ? [{ label: t('edit'), href: pathTo(`staff/clients/${id}/edit`) }]
      : []),
  ];
}

/** The name of a language in that language; empty for that of the firm. */
const languageName = (tag: string): string =>
  isLang(tag) ? translationsFor(tag, 'common')('languageName') : '';

export const clientsGrid = gridOf('clients', false);
export const archivedClientsGrid = gridOf('archived-clients', true);

async function described(actor: Actor, found: readonly (string | number)[]): Promise<ListedClient[]> {
  const ids = found.map(String);
  const rows = await db()
    .selectFrom('clients')
    .select((e) => [
      'client_id as id',
      'name',
      'doing_business_as',
      'code',
      'kind',
      'language',
      'year_end',
      e
        .selectFrom('client_contacts')
        .select((contacts) => contacts.fn.countAll<number>().as('count'))
        .whereRef('client_contacts.client_id', '=', 'clients.client_id')
        .as('contacts'),
      e
        .selectFrom('audit')
        .select('at')
        .where('audit.company_id', '=', actor.companyId)
        .whereRef('audit.client_id', '=', 'clients.client_id')
        .orderBy('seq', 'desc')
        .limit(1)
        .as('last_activity_at'),
    ])
    .where('client_id', 'in', ids)
    .execute();
  const tags = await db()
    .selectFrom('client_tags')
    .select(['client_id', 'tag'])
    .where('client_id', 'in', ids)
    .orderBy('tag_key')
    .execute();
  const staff = await db()
    .selectFrom('staff_clients')
    .innerJoin('contacts', 'contacts.contact_id', 'staff_clients.contact_id')
    .select(['staff_clients.client_id', 'contacts.full_name'])
    .where('staff_clients.client_id', 'in', ids)
    .where('is_responsible', '=', 1)
    .orderBy('contacts.full_name')
    .execute();
  const invited = await invitedResponsible(actor.companyId);
  const waiting = await pendingOf(actor, ids);
  return rows.map(({ id, name, code, kind, language, contacts, ...row }) => ({
    id,
    name,
    doingBusinessAs: row.doing_business_as ?? '',
    code,
    kind,
    language,
    yearEnd: row.year_end,
    tags: tags.filter((one) => one.client_id === id).map(({ tag }) => tag),
    responsible: staff.filter((one) => one.client_id === id).map((one) => one.full_name),
    invited: invited.get(id) ?? [],
    contacts: Number(contacts),
    waiting: waiting.get(id) ?? 0,
    lastActivityAt: row.last_activity_at === null ? undefined : Number(row.last_activity_at),
  }));
}
