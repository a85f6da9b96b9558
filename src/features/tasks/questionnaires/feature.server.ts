import { countries } from '#platform/inputs/countries.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/questionnaires.json';
import { listOf } from './lookups.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    questionnaires: typeof messages;
  }
}

export const questionnaires = defineFeature({
  name: 'questionnaires',
  lookups: {
    /** By their names in the reader's language, or their codes (ISO 3166-1). */
    countries: listOf(({ lang }) => countries(lang).map(({ id, name }) => ({ key: id, text: name }))),
  },
});
