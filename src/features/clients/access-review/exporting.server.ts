import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** What was decided in reviews about the access of contacts; of the team, too, in an export of the whole firm. */
export const exportedReviews: Contributions['exports'][number] = {
  of: 'export',
  name: 'access-reviews.csv',
  text: text('access-review', 'exportReviews'),
  content: ({ lang, firm }, clientIds) =>
    exportedTable(
      lang,
      [
        'startedAt',
        'contactName',
        'clientName',
        'role',
        'seenAt',
        'decision',
        'decidedAt',
        'decidedBy',
        'review',
        'contact',
        'client',
      ],
      eachRow(itemsOf(firm.companyId, clientIds), (row) => ({
        review: row.review_id,
        startedAt: { at: row.started_at },
        contact: row.contact_id,
        contactName: row.contact_name,
        client: row.client_id,
        clientName: row.client_name,
        role: row.role,
        seenAt: { at: row.seen_at },
        decision: { word: row.decision },
        decidedAt: { at: row.decided_at },
        decidedBy: row.decider_name,
      })),
    ),
};

const itemsOf = (companyId: string, clientIds: readonly string[] | null) =>
  rowPages(['access_review_items.review_id', 'access_review_items.number'], (page) =>
    db()
      .selectFrom('access_review_items')
      .innerJoin('access_reviews', 'access_reviews.review_id', 'access_review_items.review_id')
      .leftJoin('contacts as reviewed', 'reviewed.contact_id', 'access_review_items.contact_id')
      .leftJoin('contacts as decider', 'decider.contact_id', 'access_review_items.decided_by')
      .leftJoin('clients', 'clients.client_id', 'access_review_items.client_id')
      .selectAll('access_review_items')
      .select([
        'access_reviews.started_at',
        'reviewed.full_name as contact_name',
        'decider.full_name as decider_name',
        'clients.name as client_name',
      ])
      .where('access_reviews.company_id', '=', companyId)
      .$if(clientIds !== null, (items) => items.where('access_review_items.client_id', 'in', clientIds ?? []))
      .$call(page)
      .execute(),
  );
