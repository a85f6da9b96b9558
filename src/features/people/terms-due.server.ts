import { db } from '#platform/database.server.ts';
import type { Actor } from './people.ts';

/**
 * Tells whether the firm has terms whose newest version this contact has not accepted. Staff need not accept
 * them.
 */
export async function termsAreDue(actor: Actor): Promise<boolean> {
  if (actor.staff) return false;
  const newest = await db()
    .selectFrom('terms')
    .leftJoin('terms_acceptances', (join) =>
      join
        .onRef('terms_acceptances.version', '=', 'terms.version')
        .on('terms_acceptances.contact_id', '=', actor.contactId),
    )
    .select('terms_acceptances.contact_id')
    .where('terms.company_id', '=', actor.companyId)
    .orderBy('terms.version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.contact_id === null;
}
