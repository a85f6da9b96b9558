import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/overview.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    overview: typeof messages;
  }
}

export const overview = defineFeature({
  name: 'overview',
  navigation: [
    {
      side: 'staff',
      page: 'staff/overview',
      order: 15,
      label: text('overview', 'title'),
      icon: 'chart-column',
      key: 'o',
    },
  ],
});
