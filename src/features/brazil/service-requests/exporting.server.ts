import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { aboutOf } from './scope.server.ts';
import { shownNumber } from './service-requests.ts';

/**
 * The service requests of a client in an export of all data: what was sent, written and returned. What a client has not
 * sent is not for the firm.
 */
export const exportedRequests: Contributions['exports'] = [
  {
    of: 'client',
    name: 'service-requests.csv',
    text: text('service-requests', 'exportRequests'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['number', 'kind', 'state', 'title', 'createdAt', 'submittedAt', 'dueOn', 'responsible', 'id'],
        eachRow(requestsIn(ids), (row) => ({
          id: row.request_id,
          number: shownNumber(Number(row.year), Number(row.number)),
          kind: row.type,
          state: row.outcome ?? row.status,
          title: row.status === 'Draft' ? '' : aboutOf(row),
          createdAt: { at: row.created_at },
          submittedAt: { at: row.submitted_at },
          dueOn: row.due_on,
          responsible: row.responsible,
        })),
      ),
  },
  {
    of: 'client',
    name: 'service-request-submissions.csv',
    text: text('service-requests', 'exportSubmissions'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['submission', 'submittedAt', 'sha256', 'data', 'request'],
        eachRow(submissionsIn(ids), (row) => ({
          request: row.request_id,
          submission: Number(row.number),
          submittedAt: { at: row.submitted_at },
          sha256: row.content_sha256,
          data: decryptFrom('service_request_submissions.content', row.submission_id, row.content),
        })),
      ),
  },
  {
    of: 'client',
    name: 'service-request-messages.csv',
    text: text('service-requests', 'exportMessages'),
    content: ({ lang, clientId }, { ids }) =>
      exportedTable(
        lang,
        ['at', 'name', 'isByFirm', 'kind', 'text', 'id', 'request'],
        eachRow(messagesIn(ids, clientId !== null), (row) => ({
          id: row.message_id,
          request: row.request_id,
          at: { at: row.created_at },
          name: row.full_name,
          isByFirm: row.by_staff === 1,
          kind: row.kind,
          text: decryptFrom('service_request_messages.body', row.message_id, row.body),
        })),
      ),
  },
  {
    of: 'client',
    name: 'service-request-files.csv',
    text: text('service-requests', 'exportFiles'),
    content: ({ lang }, { ids, pathOf }) =>
      exportedTable(
        lang,
        ['path', 'id', 'document'],
        eachRow(filesIn(ids), (row) => ({
          id: row.message_id,
          document: row.document_id,
          path: pathOf(row.document_id),
        })),
      ),
  },
  {
    of: 'client',
    name: 'service-request-marks.csv',
    text: text('service-requests', 'exportMarks'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['submission', 'section', 'reason', 'decidedAt', 'request'],
        eachRow(marksIn(ids), (row) => ({
          request: row.request_id,
          submission: Number(row.submission),
          section: row.path,
          reason: decryptFrom('service_request_marks.reason', row.mark_id, row.reason),
          decidedAt: { at: row.marked_at },
        })),
      ),
  },
];

const requestsIn = (clientIds: readonly string[]) =>
  rowPages(['service_requests.request_id'], (page) =>
    db()
      .selectFrom('service_requests')
      .selectAll()
      .where('client_id', 'in', clientIds)
      .where('deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );

const submissionsIn = (clientIds: readonly string[]) =>
  rowPages(['service_request_submissions.submission_id'], (page) =>
    db()
      .selectFrom('service_request_submissions')
      .innerJoin('service_requests', 'service_requests.request_id', 'service_request_submissions.request_id')
      .selectAll('service_request_submissions')
      .where('service_requests.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const messagesIn = (clientIds: readonly string[], isForClient: boolean) =>
  rowPages(['service_request_messages.message_id'], (page) =>
    db()
      .selectFrom('service_request_messages')
      .innerJoin('service_requests', 'service_requests.request_id', 'service_request_messages.request_id')
      .leftJoin('contacts', 'contacts.contact_id', 'service_request_messages.created_by')
      .selectAll('service_request_messages')
      .select('contacts.full_name')
      .where('service_requests.client_id', 'in', clientIds)
      // notes are for the firm
      .$if(isForClient, (rows) => rows.where('service_request_messages.kind', '!=', 'note'))
      .$call(page)
      .execute(),
  );

const filesIn = (clientIds: readonly string[]) =>
  rowPages(['service_request_files.message_id', 'service_request_files.document_id'], (page) =>
    db()
      .selectFrom('service_request_files')
      .innerJoin(
        'service_request_messages',
        'service_request_messages.message_id',
        'service_request_files.message_id',
      )
      .innerJoin('service_requests', 'service_requests.request_id', 'service_request_messages.request_id')
      .selectAll('service_request_files')
      .where('service_requests.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const marksIn = (clientIds: readonly string[]) =>
  rowPages(['service_request_marks.mark_id'], (page) =>
    db()
      .selectFrom('service_request_marks')
      .innerJoin('service_requests', 'service_requests.request_id', 'service_request_marks.request_id')
      .selectAll('service_request_marks')
      .where('service_requests.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
