import { hasPart } from '#features/base/people/people.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { TASK_ICONS } from './task-icons.ts';
import { taskState } from './task-state.server.ts';
import { firstTasks, pendingByClient, type ListedTask } from './task-list.server.ts';

type Widget = Contributions['widgets'][number];
type Context = Parameters<Widget['load']>[0];
type Note = NonNullable<Awaited<ReturnType<Widget['load']>>['rows'][number]['notes']>[number];

const MAX_TASKS = 5;

/** What is wanted of the reader, the most urgent first. */
export const tasksWidget: Widget = {
  id: 'tasks',
  section: 0,
  order: 10,
  page: 'tasks',
  title: text('tasks', 'homeTitle'),
  load: async (context) => {
    const { actor, lang, pathTo } = context;
    const t = translationsFor(lang, 'tasks');
    const tasks = await firstTasks(actor, lang, MAX_TASKS);
    return {
      rows: tasks.map((task) => ({
        title: task.title,
        href: pathTo(`tasks/clients/${task.clientId}/task/${task.taskId}`, { client: task.clientId }),
        icon: TASK_ICONS[task.type],
        clientId: task.clientId,
        notes: notesOn(task, context),
      })),
      empty: t('homeNone'),
      more: { label: t('homeAll'), href: pathTo('tasks') },
    };
  },
};

function notesOn(task: ListedTask, { lang, locale }: Context): Note[] {
  const t = translationsFor(lang, 'tasks');
  const due: Note[] =
    task.dueOn === null
      ? []
      : [
          {
            text: t(task.isOverdue ? 'homeOverdueSince' : 'due', {
              date: formatDate(locale, task.dueOn, 'UTC'),
            }),
            icon: 'calendar',
            ...(task.isOverdue && { tone: 'late' }),
          },
        ];
  const [icon, state] = taskState(task, lang);
  return [...due, { text: state, icon, ...(task.isReturned && { tone: 'changed' }) }];
}

/** The pending tasks of each company, those with the earliest due date first. */
export const companyFacts: Contributions['companyFacts'] = async ({ actor, lang, locale, today }, limit) => {
  if (!hasPart(actor.access, 'tasks')) return [];
  const t = translationsFor(lang, 'tasks');
  const pending = await pendingByClient(actor, limit);
  return pending.map(({ clientId, count, dueOn }) => {
    const isLate = dueOn !== null && dueOn < today;
    const due =
      dueOn === null
        ? []
        : [t(isLate ? 'homeOverdueFrom' : 'homeNextDue', { date: formatDate(locale, dueOn, 'UTC') })];
    return {
      clientId,
      page: 'tasks',
      note: { text: [t('homeCount', { count }), ...due].join(', '), ...(isLate && { tone: 'late' }) },
      dueOn,
      isWaiting: true,
      newestAt: 0,
    };
  });
};
