import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/practice',
    group: 'people',
    icon: 'building-2',
    order: 115,
    title: text('practice', 'title'),
    text: text('practice', 'settingsText'),
  },
];
