import { TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import type { Lang } from '#platform/text/languages.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { FIELD_NAMES } from './fields.ts';

/** The name of a field, as columns of exported files and messages say it. */
export function fieldLabel(lang: Lang, field: string): string {
  const taxId = TAX_ID_KINDS.find((kind) => kind === field);
  if (taxId) return translationsFor(lang, 'inputs')(taxId);
  const name = FIELD_NAMES.find((known) => known === field);
  if (name) return translationsFor(lang, 'imports')(`field_${name}`);
  const label = contributedFields().find((known) => known.name === field)?.label;
  return label ? translate(lang, label) : field;
}

const contributedFields = () =>
  contributed('importKinds')
    .flatMap((kinds) => Object.values(kinds))
    .flatMap(({ fields }) => fields);

export const fieldLabels = (lang: Lang, fields: readonly string[]): string =>
  new Intl.ListFormat(lang, { style: 'narrow', type: 'unit' }).format(
    fields.map((field) => fieldLabel(lang, field)),
  );
