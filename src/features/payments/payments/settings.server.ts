import { actorNow, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { NO_SETTINGS, paymentSettings, type Currency, type PaymentSettings, type Way } from './payments.ts';
import { isAvailable } from './providers/available.server.ts';

/** How a firm is paid, and whether its provider can be used now. */
interface CurrentSettings extends PaymentSettings {
  isOnline: boolean;
}

/** Reads how a firm is paid. */
export async function paymentSettingsOf(companyId: string): Promise<CurrentSettings> {
  const settings = await storedSettings(companyId);
  return { ...settings, isOnline: await isAvailable(settings.provider, companyId) };
}

async function storedSettings(companyId: string): Promise<PaymentSettings> {
  const row = await db()
    .selectFrom('payment_settings')
    .select('settings')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return row
    ? paymentSettings.parse(JSON.parse(decryptFrom('payment_settings.settings', companyId, row.settings)))
    : NO_SETTINGS;
}

/** Whether bank instructions name an account. */
export const hasBank = ({ bank }: PaymentSettings): boolean => bank.iban !== '' || bank.account !== '';

export const hasPix = ({ pix }: PaymentSettings): boolean => pix.key !== '';

/** The ways that are set up. Pix is for Brazilian reais only. */
export const waysOf = (settings: PaymentSettings & Partial<CurrentSettings>, currency?: Currency): Way[] => [
  ...(hasBank(settings) ? (['bank'] as const) : []),
  ...(hasPix(settings) && (currency ?? 'BRL') === 'BRL' ? (['pix'] as const) : []),
  ...(settings.isOnline ? (['online'] as const) : []),
];

/**
 * Changes how a firm is paid, as {@link savePaymentSettings}. STEP_UP unless recently authenticated, since whoever
 * changes the account receives the money.
 */
export async function changePaymentSettings(session: Session, settings: PaymentSettings): Promise<void> {
  assertManagesFirm(session.actor);
  assertRecentlyAuthenticated(session);
  await savePaymentSettings(session.actor, settings);
}

/** Stores how a firm is paid. FORBIDDEN; INVALID for a provider that is not available. */
export async function savePaymentSettings(actor: Actor, input: PaymentSettings): Promise<void> {
  const settings = JSON.stringify(paymentSettings.parse(input));
  if (input.provider !== 'none' && !(await isAvailable(input.provider, actor.companyId)))
    throw new PortalError('INVALID', { field: 'provider' });
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesFirm(current);
    const { companyId, contactId } = current;
    const values = {
      settings: encryptFor('payment_settings.settings', companyId, settings),
      changed_at: now(),
    };
    await db()
      .insertInto('payment_settings')
      .values({ company_id: companyId, ...values })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(values))
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: 'payment.settings',
      target: companyId,
      details: { provider: input.provider, sha256: sha256(settings) },
    });
  });
}

export function assertManagesFirm({ access, viewedBy }: Actor): void {
  if (viewedBy !== undefined || !access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
}
