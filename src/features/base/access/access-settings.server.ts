import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const accessSettings: Contributions['access'] = [
  {
    name: 'DefaultClient',
    place: 'every page and call for contacts; src/routes.ts',
    row: { group: 'areas', order: 10, label: text('portal', 'rowPortal'), isForTeam: false },
  },
  {
    name: 'ccVnext',
    place: 'every part besides documents; whyNoPart',
    row: { group: 'areas', order: 20, label: text('portal', 'rowFullPortal') },
  },
  {
    name: 'ClientCenterVnext',
    place: 'every part besides documents; whyNoPart',
    row: { group: 'areas', order: 30, label: text('portal', 'rowFullPortal'), secondWhen: true },
  },
  {
    name: 'AllDocsOnly',
    place: 'every part besides documents; whyNoPart',
    row: { group: 'areas', order: 40, label: text('portal', 'rowDocumentsOnly') },
  },
  {
    name: 'DefaultStaff',
    place: 'every page and call for staff; src/routes.ts',
    row: { group: 'team', order: 10, label: text('portal', 'rowStaffArea'), isForTeam: true },
  },
  {
    name: 'Publish',
    place: 'every write of staff but to their own account; src/routes.ts',
    row: { group: 'team', order: 20, label: text('portal', 'rowPublish'), isForTeam: true },
  },
  {
    name: 'ManageFirm',
    place: 'access and flags; src/routes.ts',
    row: { group: 'team', order: 60, label: text('portal', 'rowFirm'), isForTeam: true },
  },
  {
    name: 'DebugMode',
    place: 'the debug flags in the browser; src/layouts/Debug.astro',
    row: { group: 'support', order: 10, label: text('portal', 'rowDebug'), isShown: true },
  },
  {
    name: 'Internal',
    place: 'the debug flags in the browser; src/layouts/Debug.astro',
    row: { group: 'support', order: 20, label: text('portal', 'rowDebug'), isShown: true, secondWhen: true },
  },
];
