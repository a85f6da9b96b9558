import { db } from '#platform/database/database.server.ts';

export const allFirmIds = async (): Promise<string[]> =>
  (await db().selectFrom('firms').select('company_id').execute()).map((row) => row.company_id);

/** How many firms there are, and how many practice firms besides. */
export async function countFirms(): Promise<{ real: number; practice: number }> {
  const rows = await db().selectFrom('firms').select('practice_of').execute();
  const real = rows.filter((row) => row.practice_of === null).length;
  return { real, practice: rows.length - real };
}

/** Finds the firms with this id or name. */
export async function firmsCalled(called: string): Promise<{ companyId: string; name: string }[]> {
  const rows = await db()
    .selectFrom('firms')
    .select(['company_id', 'name'])
    .where((e) => e.or([e('company_id', '=', called), e('name', '=', called)]))
    .execute();
  return rows.map(({ company_id: companyId, name }) => ({ companyId, name }));
}
