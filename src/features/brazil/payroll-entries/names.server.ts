import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { formatMonth } from './month-text.ts';

/** The lists with the months of sheets, for the audit log. */
export const sheetNames: NamesOf = async (ids, { lang }) => {
  const rows = await db()
    .selectFrom('payroll_sheets')
    .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
    .select(['sheet_id as id', 'payroll_lists.name', 'competence'])
    .where('sheet_id', 'in', ids)
    .execute();
  return rows.map(({ id, name, competence }) => ({ id, name: sheetName(lang, { name, competence }) }));
};

export const listNames: NamesOf = (ids) =>
  db().selectFrom('payroll_lists').select(['list_id as id', 'name']).where('list_id', 'in', ids).execute();

/** `Variáveis da folha, novembro de 2026`. */
export const sheetName = (
  lang: Parameters<typeof formatMonth>[0],
  { name, competence }: { name: string; competence: string },
): string => `${name}, ${formatMonth(lang, competence)}`;
