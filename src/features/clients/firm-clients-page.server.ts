import { useGrid } from '#features/grids/grid-page.server.ts';
import type { Session } from '#features/people/people.ts';
import { useActions } from '#platform/actions.server.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { refusal } from '#platform/errors.server.ts';
import type { Destination } from '#platform/forms.server.ts';
import type { Choice } from '#platform/forms.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { restoreClients } from './archiving.server.ts';
import { addResponsible, addTag } from './changing-many.server.ts';
import { archivedClientsGrid, clientsGrid } from './clients-grid.server.ts';
import { staffChoices, tagChoices } from './list-choices.server.ts';

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
  const [tags, staff] = await Promise.all([tagChoices(actor), staffChoices(actor)]);
  const all = { value: '', text: t('all') };
  const choices: Record<string, Choice[]> = { tag: [all, ...tags], responsible: [all, ...staff] };
  const grid = await useGrid(page, isArchived ? archivedClientsGrid : clientsGrid, { choices });
  if (grid instanceof Response) return grid;
  return {
    grid,
    isArchived,
    tags,
    staff,
    mayManage: actor.access.permissions.has('ManageClients'),
    isFirstUse: grid.answer.total === 0 && grid.filter.active.length === 0,
  };
}

/** The buttons for the selected clients. Archiving has a page of its own, which says what it ends. */
function actionsOf({ url, locals: { session } }: Page) {
  const { actor } = session;
  const to = url.pathname + url.search;
  const failed = (key: 'chooseFirst' | 'tagMissing' | 'bulkProblem'): Destination => ({
    to,
    flash: { type: 'danger', namespace: 'records', key },
  });
  const withChosen =
    (key: 'tagged' | 'assigned' | 'restored', act: (ids: string[], form: FormData) => Promise<number>) =>
    async (_: string, form: FormData): Promise<Destination> => {
      const ids = form.getAll('id').filter((id) => typeof id === 'string');
      if (ids.length === 0) return failed('chooseFirst');
      try {
        const count = await act(ids, form);
        return { to, flash: { type: 'success', namespace: 'records', key, vars: { count } } };
      } catch (error) {
        const code = refusal(error)?.code;
        if (code === 'INVALID') return failed('tagMissing');
        if (code === 'NOT_FOUND') return failed('bulkProblem');
        throw error;
      }
    };
  const text = (form: FormData, name: string): string => String(form.get(name) ?? '');
  return {
    'do=tag': withChosen('tagged', (ids, form) => addTag(actor, ids, text(form, 'newTag'))),
    'do=assign': withChosen('assigned', (ids, form) => addResponsible(actor, ids, text(form, 'staff'))),
    'do=restore': withChosen('restored', (ids) => restoreClients(actor, ids)),
  };
}
