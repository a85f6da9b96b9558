import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { retentionRules } from './retention.ts';

/** For how many years a firm keeps documents of each category; 0 is for ever. */
export const exportedRules: Contributions['exports'][number] = {
  of: 'export',
  name: 'retention.csv',
  text: text('retention', 'exportFile'),
  isInternal: true,
  content: ({ lang, firm }) => exportedTable(lang, ['field', 'value'], ruleRows(firm.companyId)),
};

async function* ruleRows(companyId: string) {
  const row = await db()
    .selectFrom('retention_policies')
    .select('rules')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!row) return;
  const rules = retentionRules.parse(JSON.parse(row.rules));
  for (const [field, value] of Object.entries(rules)) yield { field, value };
}
