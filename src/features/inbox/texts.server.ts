import { translationsFor } from '#platform/translations.server.ts';
import type { Lang } from '#platform/languages.ts';
import type { InboxItem, InboxKind } from './inbox.ts';

const TEXTS = {
  documents: 'documents',
  damaged: 'damaged',
  comments: 'comments',
  mail: 'mail',
  'link-request': 'linkRequest',
  invitation: 'invitation',
  task: 'task',
  'task-unanswered': 'taskUnanswered',
  'task-message': 'taskMessage',
  payment: 'payment',
  'payment-unclear': 'paymentUnclear',
  signing: 'signing',
  'seal-waits': 'sealWaits',
  'access-review': 'accessReview',
} as const satisfies Record<InboxKind, string>;

/** What a row is about, as a sentence. */
export const itemText = (lang: Lang, { kind, count, name }: InboxItem): string =>
  translationsFor(lang, 'inbox')(TEXTS[kind], { count, name });

/** Where the next step of a row is. */
export function nextStep({ kind, key, clientId }: InboxItem, pathTo: App.Locals['pathTo']): string {
  const client = clientId === undefined ? {} : { client: clientId };
  switch (kind) {
    case 'documents':
    case 'damaged':
      return pathTo('documents', { ...client, folder: key });
    case 'comments':
      return pathTo(`documents/${key}/comments`, client);
    case 'mail':
      return pathTo(`staff/mails/${key}`);
    case 'link-request':
      return pathTo('shares', client);
    case 'task-message':
      return `${pathTo(`staff/tasks/${key}`)}#messages`;
    case 'task':
    case 'task-unanswered':
    case 'payment':
    case 'payment-unclear':
    case 'signing':
      return pathTo(`staff/tasks/${key}`);
    case 'invitation':
      return pathTo('staff/people', { state: 'expired' });
    case 'seal-waits':
      return pathTo('staff/tasks/seal-waits');
    case 'access-review':
      return pathTo(`staff/access-review/${key}`);
  }
}
