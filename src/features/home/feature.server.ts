import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/home.json';

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    home: typeof messages;
  }
}

export const home = defineFeature({ name: 'home' });
