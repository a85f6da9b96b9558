import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import { destination, type Page } from './client-page.server.ts';
import { settingsForm } from './forms.server.ts';
import { worklistGrid } from './grids.server.ts';
import { acceptIntent, withEach } from './intents.server.ts';
import { MAX_AT_ONCE, type Decided } from './invoice-manifest.ts';
import { remindFrom } from './notices.server.ts';
import { isAwareAutomatically } from './automatic-awareness.server.ts';
import { isSendingPaused } from './sending.server.ts';
import { changeManifestSettings, changesSettings } from './settings.server.ts';

/** What was marked for all clients: to be accepted, and to be told to the authority. */
export async function worklistPage(page: Page) {
  const { actor } = page.locals.session;
  const to = page.url.pathname + page.url.search;
  const accept = async (ids: readonly string[]): Promise<Destination> =>
    outcome(to, await withEach(ids, (id) => acceptIntent(actor, id)));
  const pressed = await useActions(page, {
    accept: (id) => accept([id]),
    'do=accept': async (_, form) => {
      const ids: string[] = [];
      for await (const some of selectedIds(worklistGrid, actor, form)) ids.push(...some);
      if (ids.length === 0) return destination(to, 'danger', 'chooseFirst');
      if (ids.length > MAX_AT_ONCE) return destination(to, 'danger', 'tooMany', { most: MAX_AT_ONCE });
      return accept(ids);
    },
  });
  if (pressed) return pressed;
  const settings = changesSettings(actor)
    ? await useForm(page, settingsForm, {
        values: {
          remindFrom: ((await remindFrom(actor.companyId)) / 100).toFixed(2),
          isAwareAutomatic: await isAwareAutomatically(actor.companyId),
        },
        submit: async (given) => {
          await changeManifestSettings(actor, given);
          return destination(to, 'success', 'saved');
        },
      })
    : undefined;
  if (settings instanceof Response) return settings;
  const grid = await useGrid(page, worklistGrid);
  if (grid instanceof Response) return grid;
  return { grid, settings, isPaused: await isSendingPaused() };
}

/** What became of several: what is not accepted was marked by the reader, or has changed. */
function outcome(to: string, { done, refused }: Decided): Destination {
  const count = done.length;
  if (refused.some(({ code }) => code === 'SAME_PERSON'))
    return count === 0
      ? destination(to, 'danger', 'refusedSamePerson')
      : destination(to, 'success', 'acceptedButOwn', { count });
  if (count === 0) return destination(to, 'danger', 'refusedChanged');
  return refused.length === 0
    ? destination(to, 'success', 'acceptedMany', { count })
    : destination(to, 'success', 'acceptedSome', { count, others: refused.length });
}
