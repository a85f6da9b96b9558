import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { eventText } from './history-texts.server.ts';

/** What a client was asked to pay, and what became of it. All currencies have two decimals. */
export const exportedPayments: Contributions['exports'] = [
  {
    of: 'client',
    name: 'payments.csv',
    text: text('payments', 'exportPayments'),
    content: ({ lang }, { ids, pathOf }) => {
      const t = translationsFor(lang, 'payments');
      return exportedTable(
        lang,
        [
          'title',
          'invoice',
          'amount',
          'currency',
          'payee',
          'reference',
          'dueOn',
          'state',
          'reason',
          'way',
          'paidAt',
          'paidReference',
          'receipt',
          'path',
          'task',
          'document',
        ],
        eachRow(paymentsOf(ids), (row) => ({
          task: row.task_id,
          title: taskTitle(lang, { ...row, taxYear: row.tax_year }),
          invoice: row.invoice_number,
          amount: { minor: row.amount },
          currency: row.currency,
          payee: row.payee,
          reference: row.reference,
          dueOn: row.due_on,
          state: t(`state_${row.state}`),
          reason:
            row.failure_reason === null
              ? row.failure
              : decryptFrom('payment_requests.failure_reason', row.task_id, row.failure_reason),
          way: row.paid_by === '' ? '' : t(`way_${row.paid_by}`),
          paidAt: row.paid_on ?? { at: row.paid_at },
          paidReference:
            row.paid_reference === null
              ? ''
              : decryptFrom('payment_requests.paid_reference', row.task_id, row.paid_reference),
          receipt: row.receipt,
          document: row.document_id,
          path: pathOf(row.document_id),
        })),
      );
    },
  },
  {
    of: 'client',
    name: 'payment-events.csv',
    text: text('payments', 'exportEvents'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['at', 'text', 'source', 'kind', 'name', 'reference', 'task'],
        eachRow(eventsOf(ids), (row) => ({
          task: row.task_id,
          at: { at: row.received_at },
          text: eventText(lang, { ...row, at: row.received_at, by: '' }),
          source: { word: row.source },
          kind: row.kind,
          name: row.full_name,
          reference: row.source_event_id,
        })),
      ),
  },
  {
    of: 'client',
    name: 'payment-attempts.csv',
    text: text('payments', 'exportAttempts'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['createdAt', 'provider', 'reference', 'amount', 'currency', 'state', 'name', 'task'],
        eachRow(attemptsOf(ids), (row) => ({
          task: row.task_id,
          createdAt: { at: row.created_at },
          provider: row.provider,
          reference: row.provider_reference,
          amount: { minor: row.amount },
          currency: row.currency,
          state: { word: row.state },
          name: row.full_name,
        })),
      ),
  },
];

const paymentsOf = (clientIds: readonly string[]) =>
  rowPages(['payment_requests.task_id'], (page) =>
    db()
      .selectFrom('payment_requests')
      .innerJoin('tasks', 'tasks.task_id', 'payment_requests.task_id')
      .selectAll('payment_requests')
      .select(['tasks.type', 'tasks.kind', 'tasks.label', 'tasks.tax_year', 'tasks.due_on'])
      .where('payment_requests.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const eventsOf = (clientIds: readonly string[]) =>
  rowPages(['payment_events.received_at', 'payment_events.event_id'], (page) =>
    db()
      .selectFrom('payment_events')
      .innerJoin('payment_requests', 'payment_requests.task_id', 'payment_events.task_id')
      .leftJoin('contacts', 'contacts.contact_id', 'payment_events.done_by')
      .selectAll('payment_events')
      .select('contacts.full_name')
      .where('payment_requests.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const attemptsOf = (clientIds: readonly string[]) =>
  rowPages(['payment_checkouts.created_at', 'payment_checkouts.checkout_id'], (page) =>
    db()
      .selectFrom('payment_checkouts')
      .innerJoin('payment_requests', 'payment_requests.task_id', 'payment_checkouts.task_id')
      .leftJoin('contacts', 'contacts.contact_id', 'payment_checkouts.created_by')
      .selectAll('payment_checkouts')
      .select('contacts.full_name')
      .where('payment_requests.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
