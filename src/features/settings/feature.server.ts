import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/settings.json';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    settings: typeof messages;
  }
}

export const settings = defineFeature({ name: 'settings' });
