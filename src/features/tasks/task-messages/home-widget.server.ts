import { hasPart } from '#features/base/people/people.ts';
import { taskNames } from '#features/tasks/tasks/names.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { unreadMessagesByClient, unreadThreads } from './reading.server.ts';

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
    const threads = await unreadThreads(actor, MAX_THREADS);
    const ids = threads.map(({ taskId }) => taskId);
    const names = new Map(
      (ids.length === 0 ? [] : await taskNames(ids, { lang, contactId: actor.contactId })).map(
        ({ id, name }) => [id, name],
      ),
    );
    return {
      rows: threads.map(({ taskId, clientId, count, newestAt }) => ({
        title: names.get(taskId) ?? '',
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
  const unread = (await unreadMessagesByClient(actor)).toSorted((a, b) => b.newestAt - a.newestAt);
  return unread.slice(0, limit).map(({ clientId, count, newestAt }) => ({
    clientId,
    page: 'tasks',
    note: { text: translationsFor(lang, 'task-messages')('homeUnread', { count }) },
    isWaiting: true,
    newestAt,
  }));
};
