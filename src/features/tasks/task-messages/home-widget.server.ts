import { hasPart } from '#features/base/people/people.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { unreadThreads } from './reading.server.ts';

const MAX_THREADS = 3;

/** Tasks on which others wrote what the reader has not read, the newest first. */
export const messagesWidget: Contributions['widgets'][number] = {
  id: 'messages',
  section: 1,
  order: 40,
  page: 'tasks',
  title: text('task-messages', 'homeTitle'),
  load: async ({ actor, lang, locale, timeZone, pathTo }) => {
    const t = translationsFor(lang, 'threads');
    const threads = await unreadThreads(actor, lang, MAX_THREADS);
    return {
      rows: threads.slice(0, MAX_THREADS).map(({ taskId, title, clientId, count, newestAt }) => ({
        title,
        href: `${pathTo(`tasks/clients/${clientId}/task/${taskId}`, { client: clientId })}#messages`,
        isUnread: true,
        clientId,
        notes: [
          { text: t('newMessages', { count }), tone: 'new' as const },
          { text: formatDate(locale, newestAt, timeZone), at: new Date(newestAt).toISOString() },
        ],
      })),
    };
  },
};

/** The unread messages of each company, those with the newest first. */
export const companyFacts: Contributions['companyFacts'] = async ({ actor, lang }, limit) => {
  if (!hasPart(actor.access, 'tasks')) return [];
  const threads = await unreadThreads(actor, lang, MAX_THREADS);
  const newest = threads.filter(({ isNewestOfClient }) => isNewestOfClient);
  return newest.slice(0, limit).map(({ clientId, countOfClient, newestAt }) => ({
    clientId,
    page: 'tasks',
    note: { text: translationsFor(lang, 'task-messages')('homeUnread', { count: countOfClient }) },
    isWaiting: true,
    newestAt,
  }));
};
