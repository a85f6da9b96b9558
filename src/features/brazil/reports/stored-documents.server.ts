import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import { hasArea, hasPart, type Actor } from '#features/base/people/people.ts';
import {
  documentsNamed,
  listedDocumentsOf,
  readBy,
  type DocumentRow,
} from '#features/documents/documents/scope.server.ts';
import { senderOf } from '#features/documents/documents/senders.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { formatSize } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';

/** Who added a document. */
export const addedBy = sql<string>`case when documents.uploaded_by_staff = 1 then 'firm' else 'client' end`;

const ADDERS = [
  ['firm', 'byFirm'],
  ['client', 'byClient'],
] as const;

/** The documents of the active client that somebody may see, the newest first. */
export const storedDocumentsGrid = defineGrid({
  name: 'stored-documents',
  namespace: 'reports',
  path: '/api/br-reports/v1/grids/stored-documents',
  caption: 'documentsTitle',
  submit: 'filter',
  empty: 'documentsEmpty',
  noMatch: 'noneFound',
  isOfClient: true,
  from: async (actor, { client }) => {
    assertReportsOpen(actor);
    const documents = listedDocumentsOf(actor).clearSelect();
    if (client === undefined) return documents;
    await assertActsFor(actor, client);
    return documents.where('documents.client_id', '=', client);
  },
  id: sql.ref('documents.document_id'),
  columns: {
    name: {
      label: 'columnDocument',
      type: 'text',
      sql: sql.ref('documents.name_key'),
      isRowHeader: true,
      cell: ({ name, document_id: id }, { pathTo }) => ({ text: name, href: pathTo(`documents/${id}`) }),
    },
    folder: {
      label: 'columnFolder',
      type: 'exact',
      sql: sql.ref('containers.name'),
      isSortable: false,
      isGroupable: true,
      textStyle: 'phrase',
      cell: ({ container_type: type, container_name: name }, { t }) =>
        type === 'client' ? t('noFolder') : name,
    },
    adder: {
      label: 'columnAdder',
      type: 'choice',
      sql: addedBy,
      isSortable: false,
      isGroupable: true,
      options: ADDERS,
      textStyle: 'meta',
      cell: ({ uploaded_by_staff: isStaff }, { t }) => t(isStaff === 1 ? 'byFirm' : 'byClient'),
    },
    person: {
      label: 'columnPerson',
      type: 'text',
      textStyle: 'person',
      cell: (row) => senderOf(row).createdBy,
    },
    createdAt: {
      label: 'columnCreatedAt',
      type: 'time',
      sql: sql.ref('documents.created_at'),
      textStyle: 'meta',
      cell: ({ created_at: at }) => ({ text: '', at }),
    },
    size: {
      label: 'columnSize',
      type: 'number',
      sql: sql.ref('documents.size'),
      isFilterable: false,
      cell: ({ size }, { lang }) => formatSize(LANGUAGES[lang], size),
    },
    reading: {
      label: 'columnReading',
      type: 'choice',
      options: [
        ['read', 'isRead'],
        ['unread', 'isUnread'],
      ],
      textStyle: 'meta',
      cell: ({ is_read: isRead }, { t }) => t(isRead ? 'isRead' : 'isUnread'),
    },
  },
  orderBy: [{ by: 'createdAt', dir: 'desc' }],
  search: { label: 'searchDocuments', in: ['name'] },
  fields: {
    adder: {
      kind: 'select',
      label: 'columnAdder',
      by: 'adder',
      op: 'EQ',
      options: [['', 'byAnybody'], ...ADDERS],
    },
    reading: {
      kind: 'select',
      label: 'columnReading',
      options: [
        ['', 'readOrNot'],
        ['read', 'isRead'],
        ['unread', 'isUnread'],
      ],
      where: wasRead,
    },
    from: { kind: 'date', label: 'filterFrom', by: 'createdAt', op: 'GE' },
    to: { kind: 'date', label: 'filterTo', by: 'createdAt', op: 'LE' },
  },
  rows: documentsWithIds,
  idOf: ({ document_id: id }) => id,
  nameOf: ({ name }) => name,
});

function documentsWithIds(actor: Actor, ids: readonly (string | number)[]): Promise<DocumentRow[]> {
  return documentsNamed(actor, ids.map(String));
}

/** Whether the contact has read a document; for staff, whether any contact of the client has. */
function wasRead(actor: Actor, value: string): Expression<SqlBool> {
  const e = expressionBuilder<Tables, 'documents'>();
  return value === 'read' ? readBy(e, actor) : e.not(readBy(e, actor));
}

/** Throws FORBIDDEN for people for whom the firm has not turned the reports on. */
function assertReportsOpen({ access }: Actor): void {
  if (!hasPart(access, 'actions') || !hasArea(access, 'br-reports')) throw new PortalError('FORBIDDEN');
}
