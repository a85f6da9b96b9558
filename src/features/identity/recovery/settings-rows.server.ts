import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/rescue',
    group: 'people',
    icon: 'phone',
    order: 100,
    title: text('access', 'helpTitle'),
    text: text('access', 'settingsCodeText'),
    permission: 'ManageContacts',
  },
];
