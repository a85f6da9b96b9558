import { openingAddress } from '#features/documents/documents/addresses.ts';
import { unreadDocuments } from '#features/documents/documents/newest.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { viewUrlOf } from './view-page.server.ts';

/** What the firm added and the reader has not read yet, the newest first. */
export const newDocuments: Contributions['widgets'][number] = {
  id: 'documents',
  section: 1,
  order: 10,
  page: 'documents',
  title: text('documents', 'homeTitle'),
  load: async ({ actor, lang, locale, timeZone, pathTo }) => {
    const t = translationsFor(lang, 'documents');
    const viewUrl = viewUrlOf(pathTo, actor);
    const { fromFirm } = await unreadDocuments(actor);
    return {
      rows: fromFirm.map((document) => ({
        title: document.name,
        href: openingAddress(document, viewUrl),
        isUnread: true,
        clientId: document.clientId,
        notes: [
          {
            text: formatDate(locale, document.createdAt, timeZone),
            at: new Date(document.createdAt).toISOString(),
          },
        ],
      })),
      empty: t('homeNone'),
      more: { label: t('homeAll'), href: pathTo('documents') },
    };
  },
};
