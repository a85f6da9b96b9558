import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { responsibleChoices } from '#features/tasks/task-lists/responsible-choices.server.ts';
import { statusesOfView, TASK_VIEWS, tasksGrid } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
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
  const done = await useActions(page, {
    remind: (id: string) => prepareFor(page, 'remind', [id]),
    ...Object.fromEntries(
      CHANGE_ACTIONS.map((action) => [
        `do=${action}`,
        (_: string, form: FormData) => prepare(page, action, form),
      ]),
    ),
  });
  if (done) return done;
  const grid = await useGrid(page, tasksGrid, {
    views: { field: 'view', first: 'open' },
    choices: { responsible: await responsibleChoices(session.actor, lang) },
  });
  if (grid instanceof Response) return grid;
  const t = translationsFor(lang, 'tasks');
  const current = grid.query.fields['view'] || 'all';
  return {
    grid: { ...grid, empty: grid.isFiltered ? grid.empty : t(EMPTY[current] ?? 'noneFound') },
    mayChange: managesTasks(session.actor),
    /** What can be done with tasks depends on these. */
    statuses: statusesOfView(current),
    status: grid.query.fields['status'] ?? '',
    /** Whether all of the list can be reminded of at once: it has few enough overdue tasks. */
    canRemindAll:
      managesTasks(session.actor) && current === 'overdue' && grid.answer.total > 0 && !grid.answer.isCut,
    chips: TASK_VIEWS.map((view) => ({
      text: view === 'all' ? t('all') : t(`view_${view}`),
      href: pathTo('staff/tasks', { view }),
      isCurrent: current === view,
    })),
  };
}

/** What the list says without rows: in a view that has nothing, there may be tasks elsewhere. */
const EMPTY: Partial<Record<string, 'noTasks' | 'noOpenTasks'>> = { all: 'noTasks', open: 'noOpenTasks' };

async function prepare(page: Page, action: ChangeAction, form: FormData): Promise<Destination> {
  const ids: string[] = [];
  for await (const some of selectedIds(tasksGrid, page.locals.session.actor, form)) ids.push(...some);
  return prepareFor(page, action, ids);
}

async function prepareFor(
  { url, locals: { session, pathTo } }: Page,
  action: ChangeAction,
  ids: readonly string[],
): Promise<Destination> {
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
