import { sendChosen } from '#features/identity/invitations/batches.server.ts';
import { revokeInvitation, sendAgain } from '#features/identity/invitations/invitations.server.ts';
import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Destination, Page as FormPage } from '#platform/forms/forms.server.ts';
import { peopleGrid } from './people-grid.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The list of people, and what can be done with the selected ones. */
export async function peoplePage(page: Page) {
  const { actor } = page.locals.session;
  const response = await useActions(page, actionsOf(page));
  if (response) return response;
  const grid = await useGrid(page, peopleGrid);
  if (grid instanceof Response) return grid;
  return {
    grid,
    mayInvite: actor.access.permissions.has('ManageContacts'),
    /** The firm has no one but the reader: then the page says how to begin. */
    isFirstUse: grid.answer.total <= 1 && grid.filter.active.length === 0,
  };
}

/** The ids of the selected people, and of the selected invitations. */
export async function chosenIn(
  actor: Actor,
  form: FormData,
): Promise<{ contacts: string[]; invitations: string[] }> {
  const ids: string[] = [];
  for await (const some of selectedIds(peopleGrid, actor, form)) ids.push(...some);
  const isInvitation = (id: string): boolean => id.startsWith('invitation_');
  return { contacts: ids.filter((id) => !isInvitation(id)), invitations: ids.filter(isInvitation) };
}

/** The buttons for the selected invitations. Suspending has a page of its own, which names the people. */
function actionsOf({ url, locals: { pathTo, session } }: Page) {
  const { actor } = session;
  const to = url.pathname + url.search;
  const none: Destination = {
    to,
    flash: { type: 'danger', namespace: 'directory', key: 'chooseInvitation' },
  };
  return {
    resend: async (id: string): Promise<Destination> => {
      try {
        const vars = { email: (await sendAgain(actor, id)).emailAddress };
        return { to, flash: { type: 'success', namespace: 'directory', key: 'sent', vars } };
      } catch (error) {
        const code = refusal(error)?.code;
        if (code === 'TOO_MANY')
          return { to, flash: { type: 'danger', namespace: 'directory', key: 'tooMany' } };
        // accepted or revoked meanwhile: the list shows it
        if (code === 'GONE' || code === 'NOT_FOUND')
          return { to, flash: { type: 'danger', namespace: 'directory', key: 'chooseInvitation' } };
        throw error;
      }
    },
    'do=invite': async (_: string, form: FormData): Promise<Destination> => {
      const { invitations } = await chosenIn(actor, form);
      if (invitations.length === 0) return none;
      try {
        return { to: pathTo(`staff/people/invite/${await sendChosen(actor, invitations)}`) };
      } catch (error) {
        if (refusal(error)?.code !== 'TOO_MANY') throw error;
        return { to, flash: { type: 'danger', namespace: 'directory', key: 'tooMany' } };
      }
    },
    'do=revoke': async (_: string, form: FormData): Promise<Destination> => {
      const { invitations } = await chosenIn(actor, form);
      if (invitations.length === 0) return none;
      const lost = new Set<string>();
      for (const id of invitations)
        for (const clientId of (await revokeInvitation(actor, id)).responsibleIds ?? []) lost.add(clientId);
      const [key, count] =
        lost.size > 0
          ? (['revokedManyResponsible', lost.size] as const)
          : (['revokedMany', invitations.length] as const);
      return { to, flash: { type: 'success', namespace: 'directory', key, vars: { count } } };
    },
  };
}
