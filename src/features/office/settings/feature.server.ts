import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { searchKind } from './search-kind.server.ts';

export const settings = defineFeature({
  name: 'settings',
  navigation: [
    {
      side: 'staff',
      page: 'staff/settings',
      order: 70,
      label: text('staff', 'settingsTitle'),
      icon: 'settings',
      key: 's',
    },
  ],
  search: [searchKind],
});
