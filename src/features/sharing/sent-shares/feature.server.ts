import { defineFeature } from '#platform/runtime/feature.server.ts';
import { exportedShares } from './exporting.server.ts';
import { searchKind } from './search-kind.server.ts';

export const sentShares = defineFeature({
  name: 'sent-shares',
  exports: exportedShares,
  search: [searchKind],
});
