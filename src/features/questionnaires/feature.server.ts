import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/questionnaires.json';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    questionnaires: typeof messages;
  }
}

export const questionnaires = defineFeature({ name: 'questionnaires' });
