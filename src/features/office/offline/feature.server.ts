import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/offline.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    offline: typeof messages;
  }
}

export const offline = defineFeature({ name: 'offline' });
