import { Readable } from 'node:stream';
import { actorOf } from '#features/base/people/people.server.ts';
import { receiveFiles } from '#features/brazil/fiscal-intake/receiving.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends, toWriters, toWritersWithId } from '../../authz/page-policy.ts';
import { filesForm } from '../../support/api.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/boxe/v1/clients/{id}/documents': { who: 'nobody here' },
    'get /api/boxe/v1/intakes/{id}': { who: 'nobody here' },
  },
  requests: {
    'post /api/boxe/v1/clients/{id}/documents': [
      {
        ids: { id: 'client' },
        send: () => ({ form: filesForm(['note.xml', Buffer.from('<a/>')]) }),
        named: ['r'],
      },
    ],
    'get /api/boxe/v1/intakes/{id}': [{ ids: { id: 'client' }, named: ['after'] }],
  },
  pages: {
    '/[base]/[lang]/actions/box-e/intakes/[intakeId]': sends(''),
    '/[base]/[lang]/staff/fiscal-documents': toWriters,
    '/[base]/[lang]/staff/fiscal-documents/stored-files': toWriters,
    '/[base]/[lang]/staff/fiscal-documents/[setAsideId]': toWritersWithId,
  },
  inMissingSections: ['/[base]/[lang]/actions/box-e/intakes/[intakeId]'],
  placeholders: { intakeId: 'intake_0', setAsideId: 'aside_0' },
  fuzz: {
    prepare: async ({ ada, clientA }) => {
      const receiver = await receiveFiles(await actorOf(ada.contactId), { clientId: clientA, source: 'api' });
      await receiver.add('order.xml', Readable.from([Buffer.from('<pedido/>')]));
      const intakeId = await receiver.finish();
      const [document] = await db().selectFrom('fiscal_documents').select('document_id').execute();
      return {
        only: {
          'GET /api/boxe/v1/documents/{id}/xml': [document?.document_id ?? ''],
          'GET /api/boxe/v1/intakes/{id}': [intakeId],
        },
      };
    },
  },
};
