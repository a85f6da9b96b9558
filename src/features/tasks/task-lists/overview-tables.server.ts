import { sql, type Expression, type SqlBool } from 'kysely';
import { staffOf } from '#features/base/people/staff.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assignedTasks, firmTasksOf } from '#features/tasks/tasks/scope.server.ts';
import type { TaskStatus } from '#features/tasks/tasks/tasks.ts';
import { countIn, db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatShortDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { addDays, startOfDay } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { NOBODY } from './tasks-grid.server.ts';

type Table = Contributions['overviewTables'][number];
type Context = Parameters<Table['load']>[0];
type View = Awaited<ReturnType<Table['load']>>;

/** Numbers are counted up to as many rows as the list of tasks counts. */
const MAX_COUNTED = 1000;
/** So many members of staff are listed, in the order of their names. */
const MAX_PEOPLE = 50;
const WEEKS = 12;

export const overviewTables: Contributions['overviewTables'] = [
  {
    id: 'people',
    order: 10,
    title: text('overview', 'people'),
    columns: [
      text('overview', 'person'),
      text('overview', 'overdueShort'),
      text('overview', 'clientsShort'),
      text('overview', 'firmShort'),
    ],
    page: 'staff/tasks',
    load: peopleTable,
  },
  {
    id: 'weeks',
    order: 20,
    title: text('overview', 'weeks'),
    columns: [text('overview', 'week'), text('overview', 'asked'), text('overview', 'handedIn')],
    hasBars: true,
    page: 'staff/tasks',
    load: weeksTable,
  },
];

/** The views of the list of tasks that are counted for each person. */
const VIEWS = ['overdue', 'clients', 'waiting'] as const;

/** By whose side the open tasks of the firm wait, for each member of staff who is responsible for some. */
async function peopleTable({ actor, lang, pathTo, today }: Context): Promise<View> {
  const t = translationsFor(lang, 'overview');
  const { rows, nobody, isPart } = actor.hasAllClients
    ? await numbersOfAll(actor, today)
    : await numbersOfAssigned(actor, today);
  const people = [...rows.slice(0, MAX_PEOPLE), { id: NOBODY, name: t('nobody'), ...nobody }].filter((row) =>
    VIEWS.some((view) => Number(row[view]) > 0),
  );
  const urgent = people.toSorted(
    (a, b) => Number(b.overdue) - Number(a.overdue) || Number(b.clients) - Number(a.clients),
  );
  return {
    rows: urgent.map(({ id, name, ...counts }) => ({
      title: name,
      cells: VIEWS.map((view) => ({
        ...countedOf(Number(counts[view]), isPart),
        href: pathTo('staff/tasks', { view, responsible: id }),
        ...(view === 'overdue' && { isLate: true }),
      })),
    })),
    empty: t('noOpenTasks'),
    ...(rows.length > MAX_PEOPLE && {
      more: { label: t('allPeople'), href: pathTo('staff/tasks', { view: 'open', group: 'responsible' }) },
    }),
  };
}

interface Numbers {
  /** Members of staff by name, one more than are listed. */
  rows: ({ id: string; name: string } & Record<(typeof VIEWS)[number], number>)[];
  /** Of tasks that nobody is responsible for. */
  nobody: Record<(typeof VIEWS)[number], number>;
  /** Whether there were more tasks than are read. */
  isPart: boolean;
}

const peopleOf = ({ companyId }: Actor) =>
  staffOf(companyId)
    .select(['contacts.contact_id as id', 'contacts.full_name as name'])
    .where('contacts.removed_at', 'is', null)
    .orderBy('contacts.name_key')
    .orderBy('contacts.contact_id')
    .limit(MAX_PEOPLE + 1);

async function numbersOfAll(actor: Actor, today: string): Promise<Numbers> {
  const rows = await peopleOf(actor)
    .select(numbersOf(actor, today, sql<SqlBool>`tasks.responsible = contacts.contact_id`))
    .execute();
  const nobody = await db()
    .selectNoFrom(numbersOf(actor, today, sql<SqlBool>`tasks.responsible is null`))
    .executeTakeFirstOrThrow();
  return { rows, nobody, isPart: false };
}

/** So many tasks are read of staff with assigned clients. */
const MAX_READ = 5000;

/** The same for staff with assigned clients, of whose open tasks some thousand are read. */
async function numbersOfAssigned(actor: Actor, today: string): Promise<Numbers> {
  const open = assignedTasks(actor)
    .where('tasks.status', 'in', ['New', 'WIP', 'Received'])
    .select(['tasks.responsible', 'tasks.status'])
    .select(
      sql<number>`case when coalesce(tasks.due_on, '9999-12-31') < ${today} then 1 else 0 end`.as('is_late'),
    )
    .limit(MAX_READ + 1);
  const groups = await db()
    .selectFrom(open.as('open'))
    .select(['responsible', 'status', 'is_late'])
    .select((e) => e.fn.countAll<number>().as('n'))
    .groupBy(['responsible', 'status', 'is_late'])
    .execute();
  const sum = (matches: (group: (typeof groups)[number]) => boolean): number =>
    groups.filter(matches).reduce((total, { n }) => total + Number(n), 0);
  const numbers = (id: string | null) => ({
    overdue: sum((group) => group.responsible === id && group.status !== 'Received' && group.is_late === 1),
    clients: sum((group) => group.responsible === id && group.status !== 'Received'),
    waiting: sum((group) => group.responsible === id && group.status === 'Received'),
  });
  const rows = (await peopleOf(actor).execute()).map((row) => ({ ...row, ...numbers(row.id) }));
  return { rows, nobody: numbers(null), isPart: sum(() => true) > MAX_READ };
}

/**
 * How many open tasks are in each view, as subqueries. Each status is looked up by itself, or SQLite would rather walk
 * through all tasks that were ever due, in another index than that of open tasks by who is responsible (0178), which the
 * first condition names.
 */
function numbersOf(actor: Actor, today: string, isOf: Expression<SqlBool>) {
  const of = (status: TaskStatus, ...where: Expression<SqlBool>[]) =>
    [sql<SqlBool>`tasks.status in ('New', 'WIP', 'Received')`, isOf, ...where].reduce(
      (tasks, condition) => tasks.where(condition),
      firmTasksOf(actor)
        .where('tasks.status', '=', status)
        .select(sql<number>`1`.as('one')),
    );
  const isLate = sql<SqlBool>`coalesce(tasks.due_on, '9999-12-31') < ${today}`;
  return [
    countIn(of('New', isLate).unionAll(of('WIP', isLate)), MAX_COUNTED + 1).as('overdue'),
    countIn(of('New').unionAll(of('WIP')), MAX_COUNTED + 1).as('clients'),
    countIn(of('Received'), MAX_COUNTED + 1).as('waiting'),
  ] as const;
}

/** How many tasks the firm asked for, and how many were handed in last, in each of twelve weeks; the last one first. */
async function weeksTable({ actor, lang, locale, timeZone, today }: Context): Promise<View> {
  const t = translationsFor(lang, 'overview');
  const monday = addDays(today, 1 - Temporal.PlainDate.from(today).dayOfWeek);
  const weeks = Array.from({ length: WEEKS }, (_, ago) => addDays(monday, -7 * ago));
  const { numbers, isPart } = actor.hasAllClients
    ? await weeksOfAll(actor, weeks, timeZone)
    : await weeksOfAssigned(actor, weeks, timeZone);
  const isEmpty = numbers.flat().every((n) => n === 0);
  return {
    rows: isEmpty
      ? []
      : weeks.map((week, at) => ({
          title: formatShortDate(locale, week, 'UTC', Date.parse(today)),
          cells: (numbers[at] ?? []).map((n) => countedOf(n, isPart)),
        })),
    empty: t('noWeeks'),
    note: t('weeksNote'),
  };
}

interface WeekNumbers {
  /** Of each week: asked for, and handed in. */
  numbers: number[][];
  isPart: boolean;
}

async function weeksOfAll(actor: Actor, weeks: readonly string[], timeZone: string): Promise<WeekNumbers> {
  const within = (column: 'created_at' | 'submitted_at', week: string) =>
    countIn(
      firmTasksOf(actor)
        .where(`tasks.${column}`, '>=', startOfDay(week, timeZone))
        .where(`tasks.${column}`, '<', startOfDay(week, timeZone, 7))
        .select(sql<number>`1`.as('one')),
      MAX_COUNTED + 1,
    );
  const row: Record<string, unknown> = await db()
    .selectNoFrom(
      weeks.flatMap((week, at) => [
        within('created_at', week).as(`asked${at}`),
        within('submitted_at', week).as(`in${at}`),
      ]),
    )
    .executeTakeFirstOrThrow();
  const numbers = weeks.map((_, at) => [Number(row[`asked${at}`]), Number(row[`in${at}`])]);
  return { numbers, isPart: false };
}

/** The same for staff with assigned clients, of whose tasks some thousand are read. */
async function weeksOfAssigned(
  actor: Actor,
  weeks: readonly string[],
  timeZone: string,
): Promise<WeekNumbers> {
  const starts = weeks.map((week) => startOfDay(week, timeZone));
  const [first, end] = [starts.at(-1) ?? 0, startOfDay(weeks[0] ?? '', timeZone, 7)];
  const times = async (column: 'created_at' | 'submitted_at'): Promise<number[]> => {
    const rows = await assignedTasks(actor)
      .where(`tasks.${column}`, '>=', first)
      .where(`tasks.${column}`, '<', end)
      .select(`tasks.${column} as at`)
      .limit(MAX_READ + 1)
      .execute();
    return rows.map(({ at }) => Number(at));
  };
  const [asked, handedIn] = [await times('created_at'), await times('submitted_at')];
  const inWeek = (all: number[], at: number): number =>
    all.filter((time) => time >= (starts[at] ?? 0) && time < (starts[at - 1] ?? end)).length;
  return {
    numbers: weeks.map((_, at) => [inWeek(asked, at), inWeek(handedIn, at)]),
    isPart: asked.length > MAX_READ || handedIn.length > MAX_READ,
  };
}

/** With `isPart` there may be more than were counted. */
const countedOf = (n: number, isPart: boolean) => ({
  n: Math.min(n, MAX_COUNTED),
  isMore: n > MAX_COUNTED || (isPart && n > 0),
});
