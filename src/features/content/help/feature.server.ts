import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { searchKind } from './search-kind.server.ts';
import type messages from '../../../../locales/en-us/help.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    help: typeof messages;
  }
}

export const help = defineFeature({
  name: 'help',
  access: [
    {
      name: 'HideHelp',
      place: 'the help menu of the header; src/layouts/HelpMenu.astro',
      row: { group: 'account', order: 20, label: text('portal', 'rowHelp'), isShown: true, isInverted: true },
    },
  ],
  search: [searchKind],
});
