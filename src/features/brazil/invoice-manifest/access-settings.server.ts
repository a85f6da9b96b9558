import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const accessSettings: Contributions['access'] = [
  {
    name: 'ManifestReview',
    own: { kind: 'permission', isUsual: false },
    place: 'marking invoices of others, page and call; src/features/brazil/invoice-manifest/access.server.ts',
    row: { group: 'actions', order: 60, label: text('portal', 'rowManifestReview'), needs: 'nfe-manifest' },
  },
  {
    name: 'NfeManifest.Disabled',
    place: 'the actions of nfe-manifest',
  },
  {
    name: 'NfeManifest.Denied',
    place: 'the actions of nfe-manifest',
  },
];
