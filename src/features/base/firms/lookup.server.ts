import { db } from '#platform/database/database.server.ts';

export const allFirmIds = async (): Promise<string[]> =>
  (await db().selectFrom('firms').select('company_id').execute()).map((row) => row.company_id);

/** Finds the firms with this id or name. */
export async function firmsCalled(called: string): Promise<{ companyId: string; name: string }[]> {
  const rows = await db()
    .selectFrom('firms')
    .select(['company_id', 'name'])
    .where((e) => e.or([e('company_id', '=', called), e('name', '=', called)]))
    .execute();
  return rows.map(({ company_id: companyId, name }) => ({ companyId, name }));
}
