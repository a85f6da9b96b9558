import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { updateInvoice } from './internal/store.server.ts';
import { enqueueSending } from './queue.server.ts';

/** Who marks and accepts what the firm has switched on, instead of a person. */
const PORTAL = 'portal';

/** Whether a firm has switched on that awareness is registered automatically. */
export async function isAwareAutomatically(companyId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('manifest_settings')
    .select('is_aware_automatic')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return row?.is_aware_automatic === 1;
}

/**
 * Registers awareness of an invoice of which only the summary is known, if the firm has switched this on, in the open
 * transaction: the authority gives the XML then. Awareness decides nothing, so that no second person is asked.
 */
export async function beAware(manifestId: string): Promise<void> {
  const row = await db()
    .selectFrom('manifest_documents')
    .selectAll()
    .where('manifest_id', '=', manifestId)
    .executeTakeFirstOrThrow();
  const { company_id: companyId, client_id: clientId } = row;
  if (row.status !== 'pending' || row.intent !== 'none' || !(await isAwareAutomatically(companyId))) return;
  const intentId = newId('intent');
  await db()
    .insertInto('manifest_intents')
    .values({
      intent_id: intentId,
      manifest_id: manifestId,
      company_id: companyId,
      client_id: clientId,
      event: 'aware',
      justification: encryptFor('manifest_intents.justification', intentId, ''),
      by_staff: 1,
      marked_by: PORTAL,
      marked_at: now(),
      decided_by: PORTAL,
      decided_at: now(),
      reason: encryptFor('manifest_intents.reason', intentId, ''),
      state: 'accepted',
      receipt: null,
    })
    .execute();
  await updateInvoice(manifestId, { intent: 'accepted', intent_id: intentId });
  await enqueueSending(companyId, intentId);
  const details = { event: 'aware' };
  await audit({ companyId, actor: PORTAL, action: 'manifest.accept', target: manifestId, clientId, details });
}
