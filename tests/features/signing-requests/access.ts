import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaff, toWriters } from '../../authz/page-policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { filesForm } from '../../support/api.ts';
import { pdfOf } from '../../support/pdf.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/client-center/v3/signing/clients/{clientId}/documents': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['containers', 'documents', 'document_reads', 'blobs', 'limits', 'receipts', 'jobs'],
    },
  },
  requests: {
    'post /api/client-center/v3/signing/clients/{clientId}/documents': [
      {
        ids: { clientId: 'client' },
        send: () => ({ form: filesForm([`${unique('Letter')}.pdf`, pdfOf(['Letter'])]) }),
      },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/tasks/sign': toWriters,
    '/[base]/[lang]/staff/tasks/seal-waits': toStaff,
  },
  fuzz: {
    notHere: {
      'POST /api/client-center/v3/signing/clients/{clientId}/documents': 'what is sent here is no PDF',
    },
  },
};
