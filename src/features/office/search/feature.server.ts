import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/search.json';
import { clientKinds } from './client-kinds.server.ts';
import { pagesKind } from './pages-kind.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    search: typeof messages;
  }
}

export const search = defineFeature({
  name: 'search',
  search: [...clientKinds, pagesKind],
  navigation: [
    {
      side: 'account',
      page: 'profile/shortcuts',
      order: 65,
      label: text('search', 'shortcutsTitle'),
      dialog: 'shortcuts-dialog',
    },
  ],
});
