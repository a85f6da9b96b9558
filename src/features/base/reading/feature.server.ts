import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/reading.json';
import { tables } from './schema.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    reading: typeof messages;
  }
}

export const reading = defineFeature({
  name: 'reading',
  tables,
  navigation: [
    {
      side: 'account',
      page: 'profile/reading',
      order: 36,
      label: text('reading', 'title'),
      isFor: ({ viewing }) => !viewing,
    },
  ],
});
