import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { countKind } from '#features/office/inbox/inbox.server.ts';
import { breaker } from '#features/office/home/breaker.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import { dayOf } from '#platform/text/time-zones.ts';

/*
 * The figures of the firm's overview, which the features bring: each is the number of rows of a list, and leads to this
 * list with the filter that it counts. One that fails leaves the others useful.
 */

/** What is late, what waits for clients and for the firm, and whom nothing reaches. */
const FIGURE_GROUPS = ['late', 'clients', 'firm', 'reach'] as const;
export type FigureGroup = (typeof FIGURE_GROUPS)[number];

/** The number of rows of a list; `isMore` where counting stopped. */
export interface Counted {
  n: number;
  isMore: boolean;
  /** Since when the oldest of them waits (epoch ms). */
  since?: number | undefined;
}

type Query = Readonly<Record<string, string>>;

interface FigureBase {
  id: string;
  group: FigureGroup;
  /** Within the group. */
  order: number;
  label: Text;
  /** To whom of those who may open its list it is shown. */
  isFor?: (actor: Actor) => boolean;
}

/** A figure of the overview, as a feature declares it: the rows of a list of its own, or those of a kind in the inbox. */
type Figure = FigureBase &
  (
    | {
        /** The page of the list, without parameters in its path; its guard decides who sees the figure. */
        page: string;
        /** The parameters of its address, on a day at the firm (ISO 8601). */
        query: (today: string) => Query;
        /**
         * Counts what the list shows at this address to the same person, up to as many as the list itself counts, by an
         * index.
         */
        count: (actor: Actor, query: Query) => Promise<Counted>;
      }
    | { inboxKind: string }
  );

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its figures of the firm's overview. */
    figures: readonly Figure[];
  }
}

/** A figure of the page; `count` is undefined if it could not be counted. */
export interface ShownFigure {
  id: string;
  label: string;
  href: string;
  count: Counted | undefined;
}

export type Locals = Pick<App.Locals, 'lang' | 'session' | 'pathTo' | 'mayOpen'>;

/** Figures that are slow or fail again and again are left out for a while (home/breaker.server.ts). */
const figureBreaker = breaker(() => performance.now());

/** The figures that somebody may see, by group; groups without any are left out. */
export async function figuresFor(locals: Locals): Promise<{ group: FigureGroup; figures: ShownFigure[] }[]> {
  const { actor } = locals.session;
  const { timeZone } = await firmOf(actor.companyId);
  const today = dayOf(now(), timeZone);
  const groups: { group: FigureGroup; figures: ShownFigure[] }[] = [];
  for (const group of FIGURE_GROUPS) {
    const figures: ShownFigure[] = [];
    // one after the other: a page takes one connection to the database, however many figures there are
    for (const figure of figuresOf(group, locals)) figures.push(await shown(figure, locals, today));
    if (figures.length > 0) groups.push({ group, figures });
  }
  return groups;
}

function figuresOf(group: FigureGroup, { session: { actor }, mayOpen }: Locals): Figure[] {
  return contributed('figures')
    .flat()
    .filter((figure) => figure.group === group && (figure.isFor?.(actor) ?? true) && mayOpen(pageOf(figure)))
    .toSorted((a, b) => a.order - b.order);
}

const INBOX = 'staff/inbox';

const pageOf = (figure: Figure): string => ('page' in figure ? figure.page : INBOX);

async function shown(figure: Figure, { lang, session, pathTo }: Locals, today: string): Promise<ShownFigure> {
  const { id, label } = figure;
  const query = 'page' in figure ? figure.query(today) : { of: 'all', kind: figure.inboxKind };
  const count = await settled(id, () =>
    'page' in figure
      ? figure.count(session.actor, query)
      : countKind(session.actor, { of: 'all', kind: figure.inboxKind }),
  );
  return { id, label: translate(lang, label), href: pathTo(pageOf(figure), query), count };
}

/** Loads a part of the page; undefined if it fails, or is left out because it was slow or failed just now. */
export async function settled<View>(id: string, load: () => Promise<View>): Promise<View | undefined> {
  if (figureBreaker.isOpen(id)) return undefined;
  try {
    return await figureBreaker.watch(id, load);
  } catch (error) {
    log.error({ err: error, event: 'figure.failed', kind: id });
    return undefined;
  }
}
