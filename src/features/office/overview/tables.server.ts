import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { settled, type Counted, type Locals } from './figures.server.ts';

/*
 * The tables of the firm's overview, which the features bring: numbers by person or by week.
 */

/** What a table is told: who reads, and the day at the firm (ISO 8601) in its time zone. */
interface OverviewContext extends Pick<App.Locals, 'lang' | 'locale' | 'pathTo'> {
  actor: Actor;
  today: string;
  timeZone: string;
}

/** A number in a table; one with an address leads to the list that it counts. */
export interface OverviewCell extends Counted {
  href?: string;
  /** It should be 0. */
  isLate?: boolean;
}

interface OverviewRow {
  title: string;
  cells: readonly OverviewCell[];
}

interface OverviewTableView {
  rows: readonly OverviewRow[];
  /** Instead of rows. */
  empty: string;
  /** A sentence after the rows. */
  note?: string;
  /** A link to the list with all of it. */
  more?: { label: string; href: string };
}

/** A table of the overview, as a feature declares it. */
interface OverviewTable {
  id: string;
  order: number;
  title: Text;
  /** The heading of the first column, then those of the numbers. */
  columns: readonly [Text, ...Text[]];
  /** Numbers as bars, too, each as long as its share of the largest one. */
  hasBars?: true;
  /** The page without parameters whose guard decides who sees the table. */
  page: string;
  /** At most two statements, which read rows by an index, at most as many for each number as lists count. */
  load: (context: OverviewContext) => Promise<OverviewTableView>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its tables of the firm's overview. */
    overviewTables: readonly OverviewTable[];
  }
}

/** A table of the page; `view` is undefined if it could not be loaded. */
export interface ShownTable {
  id: string;
  title: string;
  columns: string[];
  hasBars: boolean;
  href: string;
  view: OverviewTableView | undefined;
}

/** The tables that somebody may see, one after the other. */
export async function tablesFor({
  lang,
  locale,
  session: { actor },
  pathTo,
  mayOpen,
}: Locals & Pick<App.Locals, 'locale'>): Promise<ShownTable[]> {
  const { timeZone } = await firmOf(actor.companyId);
  const context = { lang, locale, pathTo, actor, timeZone, today: dayOf(now(), timeZone) };
  const offered = contributed('overviewTables')
    .flat()
    .filter(({ page }) => mayOpen(page))
    .toSorted((a, b) => a.order - b.order);
  const tables: ShownTable[] = [];
  for (const { id, title, columns, hasBars = false, page, load } of offered)
    tables.push({
      id,
      title: translate(lang, title),
      columns: columns.map((column) => translate(lang, column)),
      hasBars,
      href: pathTo(page),
      view: await settled(`table ${id}`, () => load(context)),
    });
  return tables;
}
