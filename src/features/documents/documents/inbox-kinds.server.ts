import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import {
  documentAdded,
  documentAnswersTask,
  documentDamaged,
  documentRepaired,
  documentRestored,
  documentsDeleted,
  documentsHandled,
  type UploadedDocument,
} from './events.server.ts';

type Kind = Contributions['inbox'][string];

const folderOf: Kind['next'] = ({ key: folder, client }, pathTo) =>
  pathTo('documents', { ...client, folder });

/** What a client uploaded waits until staff open it. */
const uploaded = ({
  documentId: target,
  containerId: key,
  byStaff,
  companyId,
  clientId,
  name,
}: UploadedDocument) => (byStaff ? undefined : { add: { companyId, clientId, key, target, name } });

const damaged = (documentId: string): string => `damaged-${documentId}`;

export const inboxKinds: Contributions['inbox'] = {
  documents: {
    icon: 'file-text',
    step: 'open',
    text: text('inbox', 'documents'),
    next: folderOf,
    sources: [
      when(documentAdded, uploaded),
      when(documentRestored, uploaded),
      when(documentAnswersTask, ({ documentId }) => ({ resolve: [documentId] })),
      when(documentsHandled, ({ documentIds }) => ({ resolve: documentIds })),
      when(documentsDeleted, ({ documentIds }) => ({ resolve: documentIds })),
    ],
  },
  damaged: {
    icon: 'alert-triangle',
    step: 'open',
    text: text('inbox', 'damaged'),
    next: folderOf,
    sources: [
      when(documentDamaged, ({ documentId, containerId: key, companyId, clientId, name }) => ({
        add: { companyId, clientId, key, target: damaged(documentId), name },
      })),
      when(documentRepaired, ({ documentId }) => ({ resolve: [damaged(documentId)] })),
      when(documentsDeleted, ({ documentIds }) => ({ resolve: documentIds.map(damaged) })),
    ],
  },
};
