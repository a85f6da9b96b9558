import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { clientsNamed, loadClientNames } from '#features/clients/clients/client-search.server.ts';
import { MAIL_STATES, type MailState } from '#platform/mail/mail-kinds.ts';
import type { Chip } from '#ui/chips.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { listedMails } from './mails.server.ts';
import { mailsOf } from './scope.server.ts';
import { kindText, listedKinds, reasonText, STATES } from './texts.server.ts';

const STATE_OPTIONS = MAIL_STATES.map((state) => [state, STATES[state]] as const);

const CHIPS: Record<MailState, Chip> = {
  queued: { tone: 'neutral', icon: 'clock' },
  accepted: { tone: 'neutral', icon: 'mail' },
  bounced: { tone: 'danger', icon: 'circle-alert' },
  opened: { tone: 'success', icon: 'circle-check' },
  done: { tone: 'success', icon: 'circle-check' },
  canceled: { tone: 'neutral', icon: 'ban' },
};

/** The emails of the firm that a member of staff may see, the newest first; FORBIDDEN for contacts. */
export const mailsGrid = defineGrid({
  name: 'mails',
  namespace: 'mails',
  path: '/api/staff/v1/grids/mails',
  caption: 'title',
  submit: 'filterButton',
  empty: 'none',
  noMatch: 'noneFound',
  from: mailsOf,
  id: sql.ref('mails.mail_id'),
  columns: {
    subject: {
      label: 'columnSubject',
      type: 'text',
      isRowHeader: true,
      cell: ({ mailId, subject }, { pathTo }) => ({ text: subject, href: pathTo(`staff/mails/${mailId}`) }),
    },
    recipient: {
      label: 'columnRecipient',
      type: 'text',
      textStyle: 'person',
      cell: ({ recipient }) => recipient,
    },
    client: {
      label: 'columnClient',
      type: 'exact',
      sql: sql.ref('mails.client_id'),
      isNullable: true,
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => loadClientNames(ids),
      textStyle: 'phrase',
      cell: ({ clientName }) => clientName,
    },
    kind: {
      label: 'columnKind',
      type: 'choice',
      sql: sql.ref('mails.kind'),
      isSortable: false,
      isGroupable: true,
      options: listedKinds,
      textStyle: 'phrase',
      cell: ({ kind }, { lang }) => kindText(lang, kind),
    },
    state: {
      label: 'columnState',
      type: 'choice',
      sql: sql.ref('mails.state'),
      isSortable: false,
      isGroupable: true,
      options: STATE_OPTIONS,
      chip: {},
      textStyle: 'phrase',
      cell: ({ state }, { t }) => ({ text: t(STATES[state]), chip: CHIPS[state] }),
    },
    reason: {
      label: 'columnReason',
      type: 'text',
      isHidden: true,
      cell: (mail, { lang }) => reasonText(lang, mail),
    },
    queuedAt: {
      label: 'columnTime',
      type: 'time',
      sql: sql.ref('mails.queued_at'),
      textStyle: 'meta',
      cell: ({ queuedAt }) => ({ text: '', at: queuedAt }),
    },
  },
  orderBy: [{ by: 'queuedAt', dir: 'desc' }],
  search: { label: 'search', where: toRecipient },
  fields: {
    state: {
      kind: 'select',
      label: 'columnState',
      by: 'state',
      op: 'EQ',
      options: [['', 'all'], ...STATE_OPTIONS],
    },
    kind: { kind: 'select', label: 'columnKind', by: 'kind', op: 'EQ' },
    /** Not `client`, by which the address of every page names the active client. */
    clientName: {
      kind: 'text',
      label: 'columnClient',
      maxlength: 200,
      where: ({ companyId }, name) =>
        sql<SqlBool>`mails.client_id in ${clientsNamed(companyId, name.trim())}`,
    },
    from: { kind: 'date', label: 'filterFrom', by: 'queuedAt', op: 'GE' },
    to: { kind: 'date', label: 'filterTo', by: 'queuedAt', op: 'LE' },
  },
  rows: listedMails,
  idOf: ({ mailId }) => mailId,
  nameOf: ({ subject }) => subject,
});

/** The condition that the term is the whole address of the recipient, which is encrypted, or part of their name. */
async function toRecipient({ companyId }: Actor, term: string): Promise<Expression<SqlBool>> {
  const key = fold(term.trim());
  if (key.includes('@')) return sql<SqlBool>`mails.recipient_key = ${await blindIndex(key)}`;
  const contacts = db()
    .selectFrom('contacts')
    .select('contacts.contact_id')
    .where('contacts.company_id', '=', companyId)
    .where(contains(sql`lower(contacts.full_name)`, key));
  return sql<SqlBool>`mails.contact_id in ${contacts}`;
}
