import { defineFeature } from '#platform/runtime/feature.server.ts';
import { searchKind } from './search-kind.server.ts';
import type messages from '../../../../locales/en-us/help.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    help: typeof messages;
  }
}

export const help = defineFeature({ name: 'help', search: [searchKind] });
