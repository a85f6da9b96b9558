import type { Contributions } from '#platform/runtime/feature.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { unreadDocuments } from './newest.server.ts';

/** The unread documents of each company, those with the newest first. */
export const companyFacts: Contributions['companyFacts'] = async ({ actor, lang }, limit) => {
  const t = translationsFor(lang, 'documents');
  const { byClient } = await unreadDocuments(actor);
  return byClient.slice(0, limit).map(({ clientId, count, newestAt }) => ({
    clientId,
    page: 'documents',
    note: { text: t('homeUnread', { count }) },
    isWaiting: false,
    newestAt,
  }));
};
