import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/imports',
    group: 'files',
    icon: 'upload',
    order: 140,
    title: text('imports', 'title'),
    text: text('imports', 'intro'),
    permission: 'ManageClients',
    isFor: ({ hasAllClients }) => hasAllClients,
  },
];
