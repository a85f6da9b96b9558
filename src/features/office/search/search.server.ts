import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import { fold } from '#platform/database/database.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { IconName } from '#ui/icons.ts';
import type { Found, Hit, SearchContext, SearchKind } from './contributions.server.ts';
import { searchedClients } from './searched-clients.server.ts';
import { MAX_RECENT, MAX_TEXT, MIN_TEXT } from './rules.ts';

/*
 * The search of everything: each feature finds its own things, within what the actor may see (docs/decisions/0116). One
 * that fails leaves the others useful.
 */

/** What is shown of a kind. */
export interface ResultGroup {
  kind: string;
  label: string;
  icon: IconName;
  hits: readonly Hit[];
  all?: string | undefined;
  hint?: string | undefined;
  hasFailed?: boolean;
}

type Locals = Pick<App.Locals, 'lang' | 'locale' | 'timeZone' | 'session' | 'pathTo' | 'mayOpen' | 'client'>;

/** The text of a search as it is looked for. */
export const searchTextOf = (typed: string | null): string =>
  (typed ?? '')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT);

/** What the actor finds by a text, by kind: of all kinds, or `only` of some; nothing for a text that is too short. */
export async function searchEverything(
  locals: Locals,
  { text, limit, only }: { text: string; limit: number; only?: readonly string[] },
): Promise<ResultGroup[]> {
  if ([...text].length < MIN_TEXT) return [];
  const { lang, locale, timeZone, session, pathTo, mayOpen } = locals;
  const { actor } = session;
  const clients = await searchedClients(actor, text, actor.staff ? undefined : await locals.client);
  const context = { lang, locale, timeZone, session, pathTo, mayOpen, actor, text, limit, clients };
  const groups: ResultGroup[] = [];
  // one after the other: a search takes one connection to the database, however many kinds there are
  for (const kind of kindsFor(context, only)) groups.push(await groupOf(kind, context));
  return groups.filter(({ hits, hint, hasFailed }) => hits.length > 0 || hint !== undefined || hasFailed);
}

/** The clients that somebody opened last, of those that they may see, as a group of results. */
export async function recentClients(
  { lang, session, pathTo }: Pick<Locals, 'lang' | 'session' | 'pathTo'>,
  ids: readonly string[],
): Promise<ResultGroup[]> {
  const wanted = [...new Set(ids)].slice(0, MAX_RECENT);
  if (!session.actor.staff || wanted.length === 0) return [];
  const clients = await clientsByIds(session.actor, wanted);
  const hits = wanted.flatMap((id): Hit[] => {
    const client = clients.get(id);
    return client ? [{ id, title: client.displayAs, href: pathTo(`staff/clients/${id}`) }] : [];
  });
  const label = translationsFor(lang, 'search')('recent');
  return hits.length === 0 ? [] : [{ kind: 'recent', label, icon: 'clock', hits }];
}

const kindsFor = (context: SearchContext, only?: readonly string[]): SearchKind[] =>
  contributed('search')
    .flat()
    .filter(({ kind }) => only?.includes(kind) ?? true)
    .filter(({ page }) => page === undefined || context.mayOpen(page))
    .filter(({ isFor }) => isFor?.(context) ?? true)
    .toSorted((a, b) => a.order - b.order);

async function groupOf(
  { kind, label, icon, find }: SearchKind,
  context: SearchContext,
): Promise<ResultGroup> {
  const group = { kind, label: translate(context.lang, label), icon, hits: [] };
  try {
    return { ...group, ...shownOf(await find(context), context) };
  } catch (error) {
    log.error({ err: error, event: 'search.failed', kind });
    return { ...group, hasFailed: true };
  }
}

/** As many hits as are shown, those that begin with the text first, and the link to all if there are more. */
function shownOf({ hits, all, hint }: Found, { text, limit }: SearchContext): Found {
  const beginsWithText = ({ title }: Hit): boolean => fold(title).startsWith(fold(text));
  const sorted = [...hits.filter(beginsWithText), ...hits.filter((hit) => !beginsWithText(hit))];
  return {
    hits: sorted.slice(0, limit),
    ...(all !== undefined && hits.length > limit && { all }),
    ...(hint !== undefined && hits.length === 0 && { hint }),
  };
}
