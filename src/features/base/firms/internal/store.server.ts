import { db } from '#platform/database/database.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';

const firms = () =>
  db()
    .selectFrom('firms')
    .innerJoin('themes', 'themes.company_id', 'firms.company_id')
    .selectAll('themes')
    .select([
      'firms.name',
      'firms.phone',
      'firms.email',
      'firms.language',
      'firms.locked',
      'firms.time_zone',
      'firms.contact_person',
      'firms.address',
      'firms.opening_hours',
      'firms.holidays',
      'firms.details_version',
      'firms.practice_of',
    ]);

export type FirmRow = NonNullable<Awaited<ReturnType<typeof firmById>>>;

export const firmById = sharedRead(
  (companyId: string) => firms().where('firms.company_id', '=', companyId).executeTakeFirst(),
  (companyId) => companyId,
);

/** Finds the firm of an installation with a single one; firms to practice in do not count. */
export async function onlyFirm(): Promise<FirmRow | undefined> {
  const rows = await firms().where('firms.practice_of', 'is', null).limit(2).execute();
  return rows.length === 1 ? rows[0] : undefined;
}
