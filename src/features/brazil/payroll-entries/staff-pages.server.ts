import type { Actor } from '#features/base/people/people.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import { tagChoices } from '#features/clients/clients/list-choices.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { answerTo, useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { assertKeeps, keepsEntries, setsLists, todayOf } from './access.server.ts';
import { closeSheet, reopenSheet, replyToSheet, returnSheet } from './acting.server.ts';
import { dayText, flashTo, refusedTo, type Page } from './client-page.server.ts';
import { listForm, replyForm, valuesOf, withKeys } from './forms.server.ts';
import { sheetGrid } from './grid.server.ts';
import { formatMonth } from './month-text.ts';
import { lastDay, monthOf, monthsFrom, previousMonth } from './months.ts';
import { MAX_MARKS, MAX_REASON, type PayrollList } from './payroll-entries.ts';
import { addList, changeList, endList, listLists, payrollList, publishList } from './publishing.server.ts';
import { findingText, rowsView, totalsView } from './sheet-view.server.ts';
import { findIssues, listLateEntries, openSheet } from './sheets.server.ts';
import { PAYROLL_TEXTS } from './texts.ts';

const LISTS = 'staff/payroll-entries/lists';
/** As many sheets are closed or reopened at once. */
const MAX_AT_ONCE = 500;

/** The sheets of all clients, with what is done with the selected ones. */
export async function sheetsPage(page: Page) {
  const { actor } = page.locals.session;
  const to = page.url.pathname + page.url.search;
  const withEach = async (
    form: FormData,
    change: (actor: Actor, id: string) => Promise<void>,
    key: 'closedMany' | 'reopenedMany',
  ): Promise<Destination> => {
    assertKeeps(actor);
    const ids: string[] = [];
    for await (const some of selectedIds(sheetGrid, actor, form)) ids.push(...some);
    if (ids.length === 0) return flashTo(to, 'danger', 'chooseFirst');
    if (ids.length > MAX_AT_ONCE) return flashTo(to, 'danger', 'tooManySheets', { most: MAX_AT_ONCE });
    for (const id of ids) await change(actor, id);
    return flashTo(to, 'success', key, { count: ids.length });
  };
  const pressed = await useActions(page, {
    'do=close': (_, form) => withEach(form, closeSheet, 'closedMany'),
    'do=reopen': (_, form) => withEach(form, reopenSheet, 'reopenedMany'),
  });
  if (pressed) return pressed;
  const grid = await useGrid(page, sheetGrid);
  return grid instanceof Response ? grid : { grid, isKeeper: keepsEntries(actor) };
}

/** The lists of the firm. */
export async function listsPage({ locals: { lang, session, pathTo } }: Pick<Page, 'locals'>) {
  const t = translationsFor(lang, 'payroll-entries');
  const columns: Column<PayrollList>[] = [
    {
      key: 'name',
      label: t('listName'),
      text: ({ name }) => name,
      href: ({ id }) => pathTo(`${LISTS}/${id}`),
      note: ({ payroll }) => t(PAYROLL_TEXTS[payroll]),
      isRowHeader: true,
    },
    {
      key: 'state',
      label: t('columnState'),
      text: ({ state }) => t(`list_${state}`),
      textStyle: 'phrase',
      isPlain: true,
    },
    {
      key: 'from',
      label: t('fromMonth'),
      text: ({ from }) => formatMonth(lang, from),
      textStyle: 'meta',
      isLabelled: true,
    },
    {
      key: 'audience',
      label: t('audience'),
      text: ({ tag }) => tag || t('allClients'),
      textStyle: 'phrase',
      isLabelled: true,
    },
  ];
  return { rows: await listLists(session.actor), columns, isManager: setsLists(session.actor) };
}

/** Months that a list can begin or end with: a year back and a year ahead, and those that it has. */
async function monthChoices(companyId: string, lang: Lang, known: readonly string[]): Promise<Choice[]> {
  let first = monthOf(await todayOf(companyId));
  for (let back = 0; back < 12; back += 1) first = previousMonth(first);
  const year = monthsFrom(first, '2099-12');
  const next = monthsFrom(monthOf(lastDay(year.at(-1) ?? first)), '2099-12').slice(1);
  return [...new Set([...known.filter((month) => month !== ''), ...year, ...next])]
    .toSorted()
    .map((value) => ({ value, text: formatMonth(lang, value) }));
}

const NEW_COLUMNS = [{ type: 'hours', decimals: '2' }];

/** A new list, or one that is changed, published and ended. */
export async function listPage(page: Page, listId?: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'payroll-entries');
  const list = listId === undefined ? undefined : await payrollList(actor, listId);
  const here = pathTo(list ? `${LISTS}/${list.id}` : LISTS);
  const pressed = await useActions(
    page,
    list
      ? {
          publish: async () => {
            await publishList(actor, list.id);
            return flashTo(here, 'success', 'published');
          },
          end: async () => {
            await endList(actor, list.id);
            return flashTo(here, 'success', 'ended');
          },
        }
      : {},
    ({ code }) => (code === 'CLOSED' ? flashTo(here, 'danger', 'listEnded') : undefined),
  );
  if (pressed) return pressed;
  const months = await monthChoices(actor.companyId, lang, list ? [list.from, list.to] : []);
  const tags = await tagChoices(actor);
  const known =
    list?.tag && !tags.some(({ value }) => value === list.tag) ? [{ value: list.tag, text: list.tag }] : [];
  const form = await useForm(page, listForm, {
    values: list
      ? valuesOf(list, LANGUAGES[lang])
      : { from: monthOf(await todayOf(actor.companyId)), dueDay: '25', columns: NEW_COLUMNS },
    choices: {
      from: months,
      to: [{ value: '', text: t('noEnd') }, ...months],
      tag: [{ value: '', text: t('allClients') }, ...known, ...tags],
    },
    submit: async ({ columns, ...rest }) => {
      const input = { ...rest, columns: withKeys(columns, list?.columns ?? []) };
      if (list) await changeList(actor, list.id, input);
      const id = list?.id ?? (await addList(actor, input));
      return flashTo(pathTo(`${LISTS}/${id}`), 'success', list ? 'listSaved' : 'listAdded');
    },
  });
  if (form instanceof Response) return form;
  return { list, form, isManager: setsLists(actor), months: list ? exportMonths(months, list) : [] };
}

/** The months whose entries can be exported. */
const exportMonths = (months: readonly Choice[], { from, to }: PayrollList): Choice[] =>
  months.filter(({ value }) => value >= from && (to === '' || value <= to));

/** A sheet for the firm: what was filled in, and to return, close or reopen it. */
export async function staffSheetPage(page: Page, sheetId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/payroll-entries/sheets/${sheetId}`);
  const returning = await postedReturn(page, sheetId, here);
  if (returning instanceof Response) return returning;
  const pressed = await useActions(page, {
    close: async () => {
      await closeSheet(actor, sheetId);
      return flashTo(here, 'success', 'closed');
    },
    reopen: async () => {
      await reopenSheet(actor, sheetId);
      return flashTo(here, 'success', 'reopened');
    },
  });
  if (pressed) return pressed;
  const reply = await useForm(page, replyForm, {
    submit: async (input) => {
      await replyToSheet(actor, sheetId, input);
      return flashTo(here, 'success', 'replied');
    },
  });
  if (reply instanceof Response) return reply;
  const opened = { ...(await openSheet(actor, sheetId)), isOpen: false };
  const { sheet } = opened;
  const client = (await clientsByIds(actor, [sheet.clientId])).get(sheet.clientId);
  const isKeeper = keepsEntries(actor);
  return {
    ...opened,
    ...rowsView(page, opened),
    client,
    isKeeper,
    mayReturn: isKeeper && sheet.state === 'submitted',
    /** The form by which a sheet is answered and closed. */
    replying: isKeeper && sheet.state === 'submitted' ? reply : undefined,
    month: formatMonth(lang, sheet.competence),
    due: dayText(lang, sheet.dueOn),
    totals: totalsView(lang, opened),
    findings: (await findIssues(opened)).map((finding) => findingText(lang, finding, opened)),
    late: await listLateEntries(actor, sheetId),
    /** What was typed to return it, without a reason or with too long a one. */
    returning,
  };
}

/** Returns a sheet with the reason and the cells that were marked; without a reason, what was marked stays marked. */
async function postedReturn(
  page: Page,
  sheetId: string,
  here: string,
): Promise<Response | { reason: string; marks: ReadonlySet<string>; problem: string } | undefined> {
  if (page.request.method !== 'POST') return undefined;
  const form = await formOf(page.request);
  if (!form.has('return')) return undefined;
  const { lang, session } = page.locals;
  const t = translationsFor(lang, 'payroll-entries');
  const reason = String(form.get('reason') ?? '').trim();
  const marks = form.getAll('mark').map(String);
  const problem =
    reason === ''
      ? t('reasonMissing')
      : reason.length > MAX_REASON
        ? t('reasonTooLong', { most: MAX_REASON })
        : marks.length > MAX_MARKS
          ? t('tooManyMarks', { most: MAX_MARKS })
          : undefined;
  if (problem !== undefined) {
    page.response.status = 422;
    return { reason, marks: new Set(marks), problem };
  }
  const cells = marks.flatMap((mark) => {
    const [, employeeId = '', column = ''] = mark.split('.');
    return column === '' ? [] : [{ employeeId, column }];
  });
  const done = await useActions(
    page,
    {
      return: async () => {
        await returnSheet(session.actor, sheetId, { reason, cells });
        return flashTo(here, 'success', 'returned');
      },
    },
    ({ code }) => refusedTo(here, code),
  );
  return done ?? answerTo({ to: here });
}
