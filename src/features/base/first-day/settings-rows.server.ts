import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/start',
    group: 'firm',
    icon: 'circle-check',
    order: 10,
    title: text('first-day', 'title'),
    text: text('first-day', 'text'),
    permission: 'ManageFirm',
  },
];
