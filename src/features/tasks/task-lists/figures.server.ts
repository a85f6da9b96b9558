import { countOfPage } from '#features/base/grids/counting.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { tasksByClient, tasksInOrder, firmTasksOf } from '#features/tasks/tasks/scope.server.ts';
import type { TaskType } from '#features/tasks/tasks/tasks.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import { tasksGrid, type TaskView } from './tasks-grid.server.ts';

type Figure = Contributions['figures'][number];

const page = 'staff/tasks';

/** The tasks of a view, counted as the list does. */
const figureOf = (
  view: TaskView,
  figure: Pick<Figure, 'group' | 'order' | 'label'>,
): Extract<Figure, { page: string }> => ({
  id: `tasks-${view}`,
  ...figure,
  page,
  query: () => ({ view }),
  count: (actor, query) => countOfPage(tasksGrid, actor, query),
});

/** The tasks of a type that wait for clients, for the feature that has this type. */
export const openTasksFigure = (
  type: TaskType,
  figure: { id: string; order: number; label: Text },
): Figure => ({
  ...figureOf('clients', { group: 'clients', ...figure }),
  id: figure.id,
  query: () => ({ view: 'clients', type }),
});

const toReview = figureOf('waiting', { group: 'firm', order: 10, label: text('overview', 'toReview') });

export const figures: Contributions['figures'] = [
  figureOf('overdue', { group: 'late', order: 10, label: text('overview', 'overdue') }),
  figureOf('clients', { group: 'clients', order: 10, label: text('overview', 'tasks') }),
  figureOf('returned', { group: 'clients', order: 20, label: text('overview', 'returned') }),
  {
    ...toReview,
    count: async (actor, query) => {
      const counted = await toReview.count(actor, query);
      return { ...counted, since: await oldestReceived(actor, counted) };
    },
  },
];

/** When the task was submitted that has waited for the firm longest. */
async function oldestReceived(
  actor: Actor,
  { n, isMore }: { n: number; isMore: boolean },
): Promise<number | undefined> {
  if (n === 0) return undefined;
  // one of many is found soon in the order of the firm's; of few, all are read
  const all = actor.hasAllClients ? firmTasksOf(actor) : tasksByClient(actor);
  const tasks = isMore ? tasksInOrder(actor) : all;
  const row = await tasks
    .select('tasks.submitted_at')
    .where('tasks.status', '=', 'Received')
    .where('tasks.submitted_at', 'is not', null)
    .orderBy('tasks.submitted_at')
    .limit(1)
    .executeTakeFirst();
  return row?.submitted_at ?? undefined;
}
