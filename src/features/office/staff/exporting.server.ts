import { sendersOf, type Sender } from '#features/documents/documents/senders.server.ts';
import { senderText } from '#features/base/people/sender-text.server.ts';
import { actionText } from '#platform/security/audit-actions.server.ts';
import { checkpointsOf } from '#platform/security/audit-anchors.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The audit log in an export of all data: that of a client, or of the whole firm. */
export const exportedFiles: Contributions['exports'] = [
  {
    of: 'export',
    name: 'audit-log.csv',
    text: text('staff', 'exportLog'),
    content: ({ lang, firm }, clientIds) =>
      exportedTable(
        lang,
        ['number', 'at', 'name', 'action', 'text', 'target', 'details', 'actor', 'client'],
        logRows(lang, firm.companyId, clientIds),
      ),
  },
  {
    of: 'export',
    name: 'audit-log.jsonl',
    text: text('staff', 'exportLogLines'),
    content: ({ firm }, clientIds) => logLines(firm.companyId, clientIds),
  },
  {
    of: 'export',
    name: 'audit-checkpoints.txt',
    text: text('staff', 'exportCheckpoints'),
    content: ({ firm }) => checkpointLines(firm.companyId),
  },
];

type ClientIds = readonly string[] | null;

const auditEntries = (companyId: string, clientIds: ClientIds) =>
  rowPages(['audit.seq'], (page) =>
    db()
      .selectFrom('audit')
      .leftJoin('contacts', 'contacts.contact_id', 'audit.actor')
      .selectAll('audit')
      .select(['contacts.full_name', 'contacts.staff'])
      .where('audit.company_id', '=', companyId)
      .$if(clientIds !== null, (all) => all.where('audit.client_id', 'in', clientIds ?? []))
      .$call(page)
      .execute(),
  );

/** The audit log for people, with the actions in their language. */
async function* logRows(lang: Lang, companyId: string, clientIds: ClientIds) {
  for await (const rows of auditEntries(companyId, clientIds)) {
    const uploads = rows.filter(({ action }) => action === 'document.upload');
    const senders = await sendersOf(uploads.map(({ target }) => target));
    for (const row of rows)
      yield {
        number: row.seq,
        at: { at: row.at },
        actor: row.actor,
        name: nameOf(lang, row, row.action === 'document.upload' ? senders.get(row.target) : undefined),
        action: row.action,
        text: actionText(lang, row.action, row.staff === 1),
        target: row.target,
        client: row.client_id,
        details: row.details,
      };
  }
}

/** The name of who acted, or of who sent a document without an account, and who had asked them. */
const nameOf = (
  lang: Lang,
  { full_name: name }: { full_name: string | null },
  sender: Sender | undefined,
): string => (sender ? senderText(lang, sender.who, sender.askedBy) : (name ?? ''));

/** The audit log for programs: a line for each entry as it is stored, from which its hash can be computed again. */
async function* logLines(companyId: string, clientIds: ClientIds) {
  for await (const rows of auditEntries(companyId, clientIds))
    for (const { company_id: firm, seq, at, actor, action, target, details, hash } of rows)
      yield `${JSON.stringify({ firm, seq, at, actor, action, target, details, hash })}\n`;
}

async function* checkpointLines(companyId: string) {
  for (const line of checkpointsOf(companyId)) yield `${line}\n`;
}
