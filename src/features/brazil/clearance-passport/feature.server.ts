import type { FeatureApi } from '#features/base/people/people.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/clearance-passport.json';
import { clearancePassportApi } from './api.server.ts';
import { sweepPassports } from './ending.server.ts';
import { exportedPassports } from './exporting.server.ts';
import { recipientNames } from './internal/rows.server.ts';
import { tables } from './schema.server.ts';

const seenByClient = true;

const auditActions = {
  'clearance-passport.make': { text: text('clearance-passport', 'didMake'), seenByClient },
  'clearance-passport.open': { text: text('clearance-passport', 'didOpen'), seenByClient },
  'clearance-passport.download': { text: text('clearance-passport', 'didDownload'), seenByClient },
  'clearance-passport.revoke': { text: text('clearance-passport', 'didRevoke'), seenByClient },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    clearancePassport: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'clearance-passport': typeof messages;
  }
}

const path = '/api/cnd/v1/passports';
const guard = { who: 'signed-in', part: 'dashboards' } as const;

export const clearancePassport = defineFeature<FeatureApi>({
  name: 'clearance-passport',
  tables,
  auditActions,
  exports: exportedPassports,
  names: { passport: recipientNames },
  api: {
    app: clearancePassportApi,
    routes: [
      { method: 'get', path, ...guard },
      { method: 'post', path, ...guard },
      { method: 'delete', path: `${path}/{id}`, ...guard },
      {
        method: 'get',
        path: '/api/cnd/v1/passport-links/{token}/agencies/{agencyId}/document',
        who: 'visitor',
      },
    ],
  },
  sweeps: [{ every: HOUR, run: sweepPassports }],
});
