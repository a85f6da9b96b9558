import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { seesManifest } from './access.server.ts';

/** Whether somebody sets from which value on people are reminded. */
export const setsReminders = (actor: Actor): boolean =>
  seesManifest(actor) && actor.staff && actor.access.permissions.has('ManageFirm');

/** Sets from which value on people of the firm's clients are reminded, in cents; FORBIDDEN. */
export async function setRemindFrom(actor: Actor, cents: number): Promise<void> {
  if (!setsReminders(actor)) throw new PortalError('FORBIDDEN');
  const { companyId, contactId } = actor;
  const settings = { remind_from_cents: cents, changed_at: now(), changed_by: contactId };
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
      details: { cents },
    });
  });
}
