import { documentsWithName } from '#features/documents/documents/named.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { opensViewer } from './viewer.ts';

type SearchKind = Contributions['search'][number];
type Hits = Awaited<ReturnType<SearchKind['find']>>['hits'];

/** Documents by the words of their names, which are indexed by client: of a contact's clients, or of those that staff name. */
export const searchKind: SearchKind = {
  kind: 'documents',
  order: 40,
  label: textOf('common', 'tabDocuments'),
  icon: 'file-text',
  page: 'documents',
  find: async ({ actor, lang, clients, limit, pathTo }) => {
    const [only] = clients;
    if (!only)
      return { hits: [], ...(actor.staff && { hint: translationsFor(lang, 'documents')('searchHint') }) };
    const hits: Hits[number][] = [];
    for (const { id, name, text } of clients) {
      if (hits.length > limit) break;
      const found = await documentsWithName(actor, id, text, limit + 1 - hits.length);
      const address = (documentId: string): string =>
        opensViewer(actor.access)
          ? pathTo(`documents/${documentId}/view`, { client: id })
          : pathTo('documents', { client: id, view: 'flat', name: text });
      hits.push(...found.map((one) => ({ title: one.name, href: address(one.id), note: name })));
    }
    const all = pathTo('documents', { client: only.id, view: 'flat', name: only.text });
    return { hits, ...(clients.length === 1 && { all }) };
  },
};
