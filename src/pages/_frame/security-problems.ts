import { minutesUntilRetry, refusal } from '#platform/errors.server.ts';
import type { translationsFor } from '#platform/translations.server.ts';

/**
 * What is said of a passkey that was refused, and of a second step that may not be removed; anything else is
 * thrown.
 */
export function securityProblem(error: unknown, t: ReturnType<typeof translationsFor<'security'>>): string {
  const refused = refusal(error);
  if (refused?.code === 'TOO_MANY') return t('tooMany', { count: minutesUntilRetry(refused) });
  if (refused?.code === 'LOCKED') return t('lastOne');
  if (refused?.code === 'CODE_WRONG') return t('passkeyWrong');
  throw error;
}
