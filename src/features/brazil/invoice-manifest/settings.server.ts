import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { seesManifest } from './access.server.ts';

/** Whether somebody changes these settings. */
export const changesSettings = (actor: Actor): boolean =>
  seesManifest(actor) && actor.staff && actor.access.permissions.has('ManageFirm');

interface Settings {
  /** People of the firm's clients are reminded of invoices from this value on, in cents. */
  remindFrom: number;
  isAwareAutomatic: boolean;
}

/** Changes what the firm wants; FORBIDDEN. */
export async function changeManifestSettings(
  actor: Actor,
  { remindFrom: cents, isAwareAutomatic }: Settings,
): Promise<void> {
  if (!changesSettings(actor)) throw new PortalError('FORBIDDEN');
  const { companyId, contactId } = actor;
  const settings = {
    remind_from_cents: cents,
    is_aware_automatic: isAwareAutomatic ? (1 as const) : (0 as const),
    changed_at: now(),
    changed_by: contactId,
  };
  await inTransaction(async () => {
    await db()
      .insertInto('manifest_settings')
      .values({ company_id: companyId, ...settings })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(settings))
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: 'manifest.settings',
      target: companyId,
      details: { cents, isAwareAutomatic: isAwareAutomatic ? 1 : 0 },
    });
  });
}
