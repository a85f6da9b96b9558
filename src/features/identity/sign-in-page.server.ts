import type { Firm } from '#features/firms/firms.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';

/**
 * Where somebody finds help who cannot sign in: the firm's telephone, else its address, else nobody we know.
 */
export function helpToSignIn(lang: Lang, firm: Firm | undefined): string {
  const t = translationsFor(lang, 'auth');
  if (!firm) return t('helpNoFirm');
  return firm.phone === ''
    ? t('helpByMail', { firm: firm.name, email: firm.email })
    : t('help', { firm: firm.name, phone: firm.phone });
}
