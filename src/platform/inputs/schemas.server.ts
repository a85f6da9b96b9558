import { z } from 'zod';
import { sharedMessage } from '../forms.server.ts';
import type { Choice } from '../forms.ts';
import { LANGUAGES, type Lang } from '../languages.ts';
import { translationsFor } from '../translations.server.ts';
import { withoutMask } from './masks.ts';
import { isTaxId, TAX_ID_KINDS, TAX_IDS, type TaxIdKind } from './tax-ids.ts';

/*
 * Rules of input fields, for forms and calls. Their messages are in `inputs.json`, so that no form translates them
 * again. An empty text is accepted: a field that is required adds `.min(1)` and its `missing`.
 */

/** A tax id, read without punctuation. */
export const taxId = (kind: TaxIdKind) =>
  z
    .string()
    .overwrite((text) => withoutMask(kind, text))
    .refine((text) => text === '' || isTaxId(kind, text), taxIdMessage(kind));

/** A tax id whose kind is chosen with it, such as a row of a group. */
export const taxIdWithKind = z
  .object({ kind: z.enum(TAX_ID_KINDS), number: z.string() })
  .superRefine(({ kind, number }, context) => {
    if (number.trim() === '' || isTaxId(kind, number)) return;
    const { error: message, params } = taxIdMessage(kind);
    context.addIssue({ code: 'custom', path: ['number'], message, params });
  })
  .transform(({ kind, number }) => ({ kind, number: withoutMask(kind, number) }));

const taxIdMessage = (kind: TaxIdKind) => sharedMessage('taxIdWrong', { example: TAX_IDS[kind].example });

/** The kinds of tax ids as choices, with their countries. */
export function taxIdChoices(lang: Lang): Choice[] {
  const t = translationsFor(lang, 'inputs');
  const regions = new Intl.DisplayNames(LANGUAGES[lang], { type: 'region' });
  return TAX_ID_KINDS.map((kind) => ({
    value: kind,
    text: t('taxIdKind', { kind: t(kind), country: regions.of(TAX_IDS[kind].country) ?? '' }),
  }));
}
