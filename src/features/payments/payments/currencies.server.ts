import { formatMoney } from '#platform/text/formats.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { CURRENCIES, type Currency } from './payments.ts';

/** The currencies as choices: "USD – US Dollar". */
export function currencyChoices(lang: Lang): Choice[] {
  const names = new Intl.DisplayNames(LANGUAGES[lang], { type: 'currency' });
  return CURRENCIES.map((value) => ({ value, text: `${value} – ${names.of(value) ?? value}` }));
}

/** An amount in the minor unit, with its currency. */
export const formatAmount = (
  lang: Lang,
  { amount, currency }: { amount: number; currency: Currency },
): string => formatMoney(LANGUAGES[lang], amount / 100, currency);
