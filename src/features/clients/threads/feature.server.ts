import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/threads.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    threads: typeof messages;
  }
}

export const threads = defineFeature({ name: 'threads' });
