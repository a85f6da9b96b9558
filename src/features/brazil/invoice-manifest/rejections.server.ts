import { meaningOf } from '#features/brazil/tax-authority/statuses.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/* Why the authority has not registered something, in plain words: by its numbers, of which most need an act of people. */

const TEXTS: Readonly<Record<string, KeysOf<'invoice-manifest'>>> = {
  217: 'reject_key',
  494: 'reject_key',
  573: 'reject_duplicate',
  575: 'reject_author',
  577: 'reject_date',
  578: 'reject_date',
  579: 'reject_date',
  594: 'reject_sequence',
  595: 'reject_justification',
  596: 'reject_late',
  655: 'reject_awareness',
};
/** An older layout knows no letters in keys: the authority refuses them so. */
export const WITHOUT_LETTERS = ['215', '493'];

/** Says why something was not registered. What has no words here is told in those of the authority. */
export function rejectionText(
  lang: Lang,
  { code, reason, key }: { code: string; reason: string; key: string },
): string {
  const t = translationsFor(lang, 'invoice-manifest');
  if (WITHOUT_LETTERS.includes(code) && /[A-Z]/.test(key)) return t('reject_letters');
  const known = TEXTS[code];
  if (known !== undefined) return t(known);
  if (meaningOf(code) === 'layout') return t('reject_layout', { code });
  return t('rejectedAs', { code, reason: reason === '' ? '–' : reason });
}
