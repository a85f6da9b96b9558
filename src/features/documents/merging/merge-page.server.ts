import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { findClients } from '#features/clients/clients/client-search.server.ts';
import { isRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath, type PathTo } from '#platform/http/addresses.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { mergeClients, previewMerge, type MergePreview } from './merging.server.ts';

interface Page {
  url: URL;
  request: Request;
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

const FOUND = 10;

/**
 * The steps of a merge: the other client is searched, then what the merge does is shown and confirmed, after
 * step-up authentication.
 */
export async function mergePage(page: Page, fromId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const from = await clientRecord(actor, fromId);
  const { searchParams } = page.url;
  const [intoId, search] = [searchParams.get('into'), searchParams.get('q') ?? ''];
  const here = pathTo(`staff/clients/${from.id}/merge`, { into: intoId ?? undefined });
  const response = await useActions(
    page,
    {
      into: async (id) => {
        await mergeClients(session, from.id, id);
        const vars = { from: from.name, into: (await clientRecord(actor, id)).name };
        return {
          to: pathTo(`staff/clients/${id}`),
          flash: { type: 'success', namespace: 'records', key: 'merged', vars },
        };
      },
    },
    // the page says why it cannot be, from the current data
    ({ code }) =>
      code === 'STEP_UP'
        ? { to: confirmPath(lang, here) }
        : ['LOCKED', 'TOO_MANY_FOLDERS', 'GONE', 'INVALID'].includes(code)
          ? { to: here }
          : undefined,
  );
  if (response) return response;
  const preview = intoId === null ? undefined : await previewOf(session, from.id, intoId);
  if (preview && !isRecentlyAuthenticated(session)) return redirectTo(confirmPath(lang, here));
  const found = preview || search === '' ? [] : await candidates(session, from.id, search);
  return { from, search, preview, found };
}

/** The preview; undefined for a choice that cannot be merged, which the person then makes again. */
async function previewOf(
  { actor }: Session,
  fromId: string,
  intoId: string,
): Promise<MergePreview | undefined> {
  try {
    return await previewMerge(actor, fromId, intoId);
  } catch (error) {
    if (['INVALID', 'GONE', 'NOT_FOUND'].includes(refusal(error)?.code ?? '')) return undefined;
    throw error;
  }
}

/** The other current clients with this text in their name, number or tags. */
async function candidates({ actor }: Session, fromId: string, search: string) {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const found = await findClients(actor, search.slice(0, 200), FOUND + 1);
  return found.filter(({ id }) => id !== fromId).slice(0, FOUND);
}
