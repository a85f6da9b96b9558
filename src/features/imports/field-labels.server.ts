import { TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { FIELD_NAMES } from './fields.ts';

/** The name of a field, as columns of exported files and messages say it. */
export function fieldLabel(lang: Lang, field: string): string {
  const taxId = TAX_ID_KINDS.find((kind) => kind === field);
  if (taxId) return translationsFor(lang, 'inputs')(taxId);
  const name = FIELD_NAMES.find((known) => known === field);
  return name ? translationsFor(lang, 'imports')(`field_${name}`) : field;
}

export const fieldLabels = (lang: Lang, fields: readonly string[]): string =>
  new Intl.ListFormat(lang, { style: 'narrow', type: 'unit' }).format(
    fields.map((field) => fieldLabel(lang, field)),
  );
