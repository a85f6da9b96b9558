import { useGrid } from '#features/grids/grid-page.server.ts';
import { selectedIds } from '#features/grids/selection.server.ts';
import type { Session } from '#features/people/people.ts';
import { managesTasks } from '#features/tasks/creating.server.ts';
import { TASK_VIEWS, tasksGrid } from '#features/task-lists/tasks-grid.server.ts';
import { useActions } from '#platform/actions.server.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { refusal } from '#platform/errors.server.ts';
import type { Destination } from '#platform/forms.server.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { prepareChange } from './batches.server.ts';
import { CHANGE_ACTIONS, type ChangeAction } from './task-batches.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The table of all tasks. What is done with the selected ones is shown on a page of its own before. */
export async function tasksPage(page: Page) {
  const { lang, session, pathTo } = page.locals;
  const done = await useActions(
    page,
    Object.fromEntries(
      CHANGE_ACTIONS.map((action) => [
        `do=${action}`,
        (_: string, form: FormData) => prepare(page, action, form),
      ]),
    ),
  );
  if (done) return done;
  const grid = await useGrid(page, tasksGrid);
  if (grid instanceof Response) return grid;
  const t = translationsFor(lang, 'tasks');
  const current = page.url.searchParams.get('view') ?? '';
  return {
    grid,
    mayChange: managesTasks(session.actor),
    chips: [
      { text: t('all'), href: pathTo('staff/tasks'), isCurrent: current === '' },
      ...TASK_VIEWS.map((view) => ({
        text: t(`view_${view}`),
        href: pathTo('staff/tasks', { view }),
        isCurrent: current === view,
      })),
    ],
  };
}

async function prepare(
  { url, locals: { session, pathTo } }: Page,
  action: ChangeAction,
  form: FormData,
): Promise<Destination> {
  const ids: string[] = [];
  for await (const some of selectedIds(tasksGrid, session.actor, form)) ids.push(...some);
  try {
    return { to: pathTo(`staff/tasks/batches/${await prepareChange(session.actor, action, ids)}`) };
  } catch (error) {
    const code = refusal(error)?.code;
    if (code !== 'EMPTY' && code !== 'TOO_LARGE') throw error;
    return {
      to: url.pathname + url.search,
      flash: {
        type: 'danger',
        namespace: 'task-batches',
        key: code === 'EMPTY' ? 'chooseFirst' : 'tooManyTasks',
      },
    };
  }
}
