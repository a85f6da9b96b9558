import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/feedback',
    group: 'files',
    icon: 'smile',
    order: 185,
    title: text('feedback', 'listTitle'),
    text: text('feedback', 'settingsText'),
    permission: 'ManageFirm',
  },
];
