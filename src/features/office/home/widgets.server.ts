import {
  clientsOnPage,
  hasSeveralClients as actsForSeveral,
} from '#features/clients/clients/clients.server.ts';
import type { Client } from '#features/clients/clients/clients.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { IconName } from '#ui/icons.ts';
import { allWidgets, homeArrangement } from './arrangements.server.ts';
import type { Placed } from './arranging.ts';
import { widgetBreaker } from './breaker.server.ts';

/*
 * The parts of the home page, which the features bring: what waits, what is new, whom to ask. A widget shows what its page
 * shows to the same person, and no more; one that fails leaves the others useful.
 */

/** What a widget is told: who reads, about which client, and the day at the firm. */
export interface WidgetContext extends Pick<
  App.Locals,
  'lang' | 'locale' | 'timeZone' | 'session' | 'pathTo'
> {
  actor: Actor;
  firm: Firm;
  /** The active client. */
  client: Client;
  /** Whether rows have to say of which client they are. */
  hasSeveralClients: boolean;
  /** The day at the firm (ISO 8601), with which due dates are compared. */
  today: string;
}

/** A short remark on a row; `at` is its time (ISO 8601) if the text is one. */
export interface RowNote {
  text: string;
  tone?: 'late' | 'changed' | 'new';
  icon?: IconName;
  at?: string;
}

/** A row of a widget, which is one link. */
export interface WidgetRow {
  title: string;
  href: string;
  icon?: IconName;
  /** Not read yet, which a dot marks. */
  isUnread?: boolean;
  /** Its client, whose name is shown to people with several. */
  clientId?: string;
  notes?: readonly RowNote[];
}

/** What a widget shows; one without rows is shown only with a text for that. */
export interface WidgetView {
  rows: readonly WidgetRow[];
  /** Lines before the rows. */
  lines?: readonly string[];
  /** Instead of rows. */
  empty?: string;
  /** A link to all of it. */
  more?: { label: string; href: string };
}

/** A part of the home page, as a feature declares it. */
interface Widget {
  id: string;
  /** 0 and 1 are the main column, with what is wanted of the reader first; 2 is beside it on wide screens. */
  section: 0 | 1 | 2;
  /** Within the section. */
  order: number;
  /** The page without parameters whose guard decides who sees the widget. */
  page: string;
  /** {{firm}}. */
  title: Text;
  /** Who of these sees it. */
  isFor?: (context: Pick<WidgetContext, 'session' | 'hasSeveralClients'>) => boolean;
  /**
   * At most two statements, which read at most twenty rows by an index; it changes nothing, and marks nothing as
   * read.
   */
  load: (context: WidgetContext) => Promise<WidgetView>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its parts of the home page. */
    widgets: readonly Widget[];
  }
}

/** More rows of a widget than these are cut: its `load` has a fault. */
const MAX_ROWS = 20;

/** A widget of a page: loaded, failed, or not asked because it was slow or failed just now. */
export interface ShownWidget extends Pick<Widget, 'id' | 'page'> {
  title: string;
  view: WidgetView | 'failed' | 'deferred';
}

type Locals = Pick<App.Locals, 'lang' | 'locale' | 'timeZone' | 'session' | 'pathTo' | 'mayOpen'>;

interface Asked {
  firm: Firm;
  client: Client;
  /** The id of the one widget to show, even if it is deferred; undefined for all. */
  only?: string | undefined;
}

/** What somebody's home page shows, in the main column and beside it. */
export interface Home {
  main: ShownWidget[];
  beside: ShownWidget[];
  hasSeveralClients: boolean;
}

export async function homeOf(locals: Locals, { firm, client, only }: Asked): Promise<Home> {
  const context = await contextOf(locals, firm, client);
  const { hasSeveralClients } = context;
  const offered = offeredTo(locals, context);
  const { widgets } = await homeArrangement(context.actor, offered);
  const places = only === undefined ? widgets.filter(({ isShown }) => isShown) : widgets;
  const loaded: (ShownWidget & Placed)[] = [];
  // one after the other: a page takes one connection to the database, however many widgets there are
  for (const place of places) {
    const widget = offered.find(({ id }) => id === place.id);
    if (widget && (only === undefined || only === widget.id))
      loaded.push({ ...place, ...(await shown(widget, context, only !== undefined)) });
  }
  const all = hasSeveralClients ? await withClientNames(loaded, context.actor) : loaded;
  const useful = all.filter(({ view }) => typeof view !== 'object' || view.rows.length > 0 || view.empty);
  return {
    main: useful.filter(({ isBeside }) => !isBeside),
    beside: useful.filter(({ isBeside }) => isBeside),
    hasSeveralClients,
  };
}

/** The widgets that somebody may see, as the features arrange them. */
function offeredTo(
  locals: Pick<Locals, 'mayOpen'>,
  context: Pick<WidgetContext, 'session' | 'hasSeveralClients'>,
) {
  return allWidgets().filter((widget) => locals.mayOpen(widget.page) && (widget.isFor?.(context) ?? true));
}

export async function offeredWidgets(locals: Pick<Locals, 'session' | 'mayOpen'>) {
  const { session } = locals;
  return offeredTo(locals, { session, hasSeveralClients: await actsForSeveral(session.actor) });
}

export const titlesOf = (
  widgets: readonly Pick<Widget, 'id' | 'title'>[],
  { lang, firm }: { lang: Lang; firm: string },
): Map<string, string> => new Map(widgets.map(({ id, title }) => [id, translate(lang, title, { firm })]));

async function shown(widget: Widget, context: WidgetContext, isAsked: boolean): Promise<ShownWidget> {
  const { id, page, title } = widget;
  const view = await viewOf(widget, context, isAsked);
  return { id, page, title: translate(context.lang, title, { firm: context.firm.name }), view };
}

/** Says of each row of which client it is. */
async function withClientNames<Shown extends ShownWidget>(
  widgets: readonly Shown[],
  actor: Actor,
): Promise<Shown[]> {
  const loaded = widgets.flatMap(({ view }) => (typeof view === 'object' ? view.rows : []));
  const clients = await clientsOnPage(actor, [...new Set(loaded.flatMap(({ clientId }) => clientId ?? []))]);
  const named = (row: WidgetRow): WidgetRow => {
    const client = clients.get(row.clientId ?? '');
    if (!client) return row;
    const note: RowNote = {
      text: client.displayAs,
      icon: client.kind === 'individual' ? 'user' : 'building-2',
    };
    return { ...row, notes: [note, ...(row.notes ?? [])] };
  };
  return widgets.map((widget) =>
    typeof widget.view === 'object'
      ? { ...widget, view: { ...widget.view, rows: widget.view.rows.map(named) } }
      : widget,
  );
}

async function contextOf(
  { lang, locale, timeZone, session, pathTo }: Locals,
  firm: Firm,
  client: Client,
): Promise<WidgetContext> {
  const { actor } = session;
  const hasSeveralClients = await actsForSeveral(actor);
  const today = dayOf(now(), firm.timeZone);
  return { lang, locale, timeZone, session, pathTo, actor, firm, client, hasSeveralClients, today };
}

async function viewOf(
  { id, load }: Widget,
  context: WidgetContext,
  isAsked: boolean,
): Promise<ShownWidget['view']> {
  if (!isAsked && widgetBreaker.isOpen(id)) return 'deferred';
  try {
    const view = await widgetBreaker.watch(id, () => load(context));
    if (view.rows.length <= MAX_ROWS) return view;
    log.error({ event: 'widget.tooMany', kind: id });
    return { ...view, rows: view.rows.slice(0, MAX_ROWS) };
  } catch (error) {
    log.error({ err: error, event: 'widget.failed', kind: id });
    return 'failed';
  }
}
