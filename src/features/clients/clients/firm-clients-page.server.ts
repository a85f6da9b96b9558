import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { MAX_AT_ONCE, restoreClients } from './archiving.server.ts';
import { addResponsible, addTag } from './changing-many.server.ts';
import { archivedClientsGrid, clientsGrid } from './clients-grid.server.ts';
import { numbersOf } from './client-overview.server.ts';
import { responsibleChoices, tagChoices } from './list-choices.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The table of the firm's clients, and what can be done with the selected ones. */
export async function firmClientsPage(page: Page) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const response = await useActions(page, actionsOf(page));
  if (response) return response;
  const t = translationsFor(lang, 'records');
  const isArchived = page.url.searchParams.get('state') === 'archived';
  const [tags, { staff, all: team }] = await Promise.all([
    tagChoices(actor),
    responsibleChoices(actor, lang),
  ]);
  const mayManage = actor.access.permissions.has('ManageClients');
  const all = { value: '', text: t('all') };
  const choices: Record<string, Choice[]> = { tag: [all, ...tags], responsible: [all, ...staff] };
  const grid = await useGrid(page, isArchived ? archivedClientsGrid : clientsGrid, { choices });
  if (grid instanceof Response) return grid;
  return {
    grid,
    isArchived,
    tags,
    staff: team,
    mayManage,
    isFirstUse: grid.answer.total === 0 && grid.filter.active.length === 0,
  };
}

/** The selected clients, of which there may be all that the list has. */
async function chosenIn(
  grid: typeof clientsGrid,
  actor: Session['actor'],
  form: FormData,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const some of selectedIds(grid, actor, form)) ids.push(...some);
  return ids;
}

/** The clients that the address of a page selects, where a form of the list leads by GET; none without any. */
export function selectedInAddress(actor: Session['actor'], url: URL): Promise<string[]> {
  const selection = new FormData();
  for (const [name, value] of url.searchParams) selection.append(name, value);
  return selection.has('id') || selection.has('all')
    ? chosenIn(clientsGrid, actor, selection)
    : Promise.resolve([]);
}

/** The buttons for the selected clients. Archiving has a page of its own, which says what it ends. */
function actionsOf({ url, locals: { session, pathTo } }: Page) {
  const { actor } = session;
  const to = url.pathname + url.search;
  const grid = url.searchParams.get('state') === 'archived' ? archivedClientsGrid : clientsGrid;
  const failed = (
    key: 'chooseFirst' | 'tagMissing' | 'bulkProblem' | 'tooManyClients' | 'askWithoutNumber',
    vars: Record<string, string | number> = {},
  ): Destination => ({ to, flash: { type: 'danger', namespace: 'records', key, vars } });
  const withChosen =
    (key: 'tagged' | 'assigned' | 'restored', act: (ids: string[], form: FormData) => Promise<number>) =>
    async (_: string, form: FormData): Promise<Destination> => {
      const ids = await chosenIn(grid, actor, form);
      if (ids.length === 0) return failed('chooseFirst');
      try {
        const count = await act(ids, form);
        return { to, flash: { type: 'success', namespace: 'records', key, vars: { count } } };
      } catch (error) {
        const code = refusal(error)?.code;
        if (code === 'INVALID') return failed('tagMissing');
        if (code === 'NOT_FOUND') return failed('bulkProblem');
        if (code === 'TOO_LARGE') return failed('tooManyClients', { most: MAX_AT_ONCE });
        throw error;
      }
    };
  const text = (form: FormData, name: string): string => String(form.get(name) ?? '');
  /** Tasks for many are created by the numbers of their clients. */
  const ask = async (_: string, form: FormData): Promise<Destination> => {
    const ids = await chosenIn(grid, actor, form);
    if (ids.length === 0) return failed('chooseFirst');
    if (ids.length > MAX_AT_ONCE) return failed('tooManyClients', { most: MAX_AT_ONCE });
    const clients = await numbersOf(actor, ids);
    const without = clients.find(({ code }) => !/^[^\s,;]+$/.test(code));
    if (without) return failed('askWithoutNumber', { client: without.name });
    const numbers = clients.map(({ code }) => code).join(' ');
    return { to: pathTo('staff/tasks/new', { for: 'many', numbers }) };
  };
  return {
    'do=ask': ask,
    'do=tag': withChosen('tagged', (ids, form) => addTag(actor, ids, text(form, 'newTag'))),
    'do=assign': withChosen('assigned', (ids, form) => addResponsible(actor, ids, text(form, 'staff'))),
    'do=restore': withChosen('restored', (ids) => restoreClients(actor, ids)),
  };
}
