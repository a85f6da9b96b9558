import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { todayOf } from './access.server.ts';
import { agencyName } from './agency-names.server.ts';
import { listAttempts } from './attempts.server.ts';
import { followedActions, followedColumns, historyActions, historyColumns } from './columns.server.ts';
import { listFollowed } from './following.server.ts';
import { isValidToday, LIGHTS } from './lights.ts';
import { clientList } from './lists.server.ts';
import { newestDocuments } from './staff-pages.server.ts';

interface Page {
  url: URL;
  locals: {
    lang: Lang;
    session: { actor: Actor };
    pathTo: PathTo;
    client: Promise<{ id: string } | undefined>;
  };
}

const PAGE = 30;

/**
 * The certificates of a client for its contacts, and the history of the agency of the address. Staff are led to theirs.
 * NOT_FOUND for a client of others.
 */
export async function ownCertificatesPage(page: Page, clientId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const { query, urlFor, pager } = useList(page, clientList);
  const client = await clientOfPage(page, clientId, {
    query: query.agency === '' ? {} : { agency: query.agency },
  });
  if (client instanceof Response) return client;
  const followed = (await listFollowed(actor, clientId)).toSorted(
    (a, b) => LIGHTS.indexOf(b.light) - LIGHTS.indexOf(a.light),
  );
  const documents = await newestDocuments(actor, followed);
  const columns = followedColumns(lang, {
    today: await todayOf(actor),
    firm: (await firmOf(actor.companyId)).name,
    pageOf: ({ agencyId: agency }) => urlFor({ agency, from: 0 }),
  });
  const chosen = followed.find(({ agencyId }) => agencyId === query.agency);
  const history =
    chosen &&
    (await listAttempts(actor, { clientId, agencyId: chosen.agencyId, start: query.from, limit: PAGE }));
  return {
    client,
    followed,
    columns,
    actions: followedActions(lang, pathTo, documents),
    /** The PDFs of those that are valid today. */
    valid: followed.flatMap(({ light, currentAttemptId: id }) =>
      isValidToday(light) ? (documents.get(id ?? '') ?? []) : [],
    ),
    history: chosen &&
      history && {
        agency: agencyName(lang, chosen.agencyId),
        items: history.items,
        columns: historyColumns(lang),
        actions: historyActions(lang, pathTo),
        pager: pager(history.totalItems, PAGE),
      },
  };
}

/**
 * The client of a page about its certificates for its contacts; NOT_FOUND for one of others. Staff are led to theirs. `below` is
 * the rest of the address of the page.
 */
export async function clientOfPage(
  { locals }: Page,
  clientId: string,
  { below = '', query = {} }: { below?: string; query?: Readonly<Record<string, string>> },
) {
  const { session, pathTo } = locals;
  const client = (await clientsByIds(session.actor, [clientId])).get(clientId);
  if (!client) throw notFound();
  if (session.actor.staff)
    return redirectTo(pathTo(`staff/clients/${clientId}/clearance-certificates${below}`));
  // the frame shows the company of the address
  return (await locals.client)?.id === clientId
    ? client
    : redirectTo(pathTo(`home/cnd/${clientId}${below}`, { client: clientId, ...query }));
}
