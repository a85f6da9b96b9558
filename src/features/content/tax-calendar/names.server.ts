import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { ownNames } from './dates.server.ts';
import { ruleOf } from './obligations/all.ts';

/** The names of dates of clients in the audit log. */
export const taxDateNames: NamesOf = async (ids) => {
  const rows = await db()
    .selectFrom('tax_dates')
    .select(['tax_date_id', 'rule_key'])
    .where('tax_date_id', 'in', ids)
    .execute();
  const added = await ownNames(rows.map((row) => row.rule_key));
  return rows.flatMap((row) => {
    const name = ruleOf(row.rule_key)?.name ?? added.get(row.rule_key);
    return name === undefined ? [] : [{ id: row.tax_date_id, name }];
  });
};

/** The names of dates that the firm added. */
export const ownDateNames: NamesOf = async (ids) =>
  [...(await ownNames(ids))].map(([id, name]) => ({ id, name }));
