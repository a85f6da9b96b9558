import { z } from 'zod';
import type { Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { answerTo, type Destination } from '#platform/forms/forms.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { messagesOf, translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { submitSheet, takeBackSheet } from './acting.server.ts';
import { MAX_CHANGES, type CellChange } from './payroll-entries.ts';
import { formatMonth } from './month-text.ts';
import { copyLastMonth } from './pasting.server.ts';
import { saveCells, undoStep } from './saving.server.ts';
import { fieldOf, findingText, rowsView, totalsView, type CellProblem } from './sheet-view.server.ts';
import {
  findIssues,
  listLateEntries,
  listSheets,
  openSheet,
  type OpenedSheet,
  type Sheet,
} from './sheets.server.ts';
import { sheetWords, valueWords } from './ui/sheet-messages.ts';
import { STATE_CHIPS, STATE_TEXTS } from './texts.ts';
import { readValue, shownText } from './values.ts';

export interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: {
    lang: Lang;
    session: Session;
    pathTo: PathTo;
    client: Promise<{ id: string; name: string } | undefined>;
  };
}

export const sheetPath = (sheetId: string): string => `actions/service-request/payroll-sheets/${sheetId}`;

export const flashTo = (
  to: string,
  type: 'success' | 'danger',
  key: KeysOf<'payroll-entries'>,
  vars: Record<string, string | number> = {},
): Destination => ({ to, flash: { type, namespace: 'payroll-entries', key, vars } });

export const dayText = (lang: Lang, day: string): string =>
  formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC');

/** The sheets of the active client. */
export async function clientSheets(
  { locals: { lang, session, pathTo } }: Pick<Page, 'locals'>,
  clientId: string,
) {
  const t = translationsFor(lang, 'payroll-entries');
  const rows = await listSheets(session.actor, clientId);
  const columns: Column<Sheet>[] = [
    {
      key: 'month',
      label: t('columnMonth'),
      text: ({ competence }) => formatMonth(lang, competence),
      href: ({ id }) => pathTo(sheetPath(id)),
      note: ({ name }) => name,
      isRowHeader: true,
    },
    {
      key: 'state',
      label: t('columnState'),
      text: ({ state }) => t(STATE_TEXTS[state]),
      chip: ({ state }) => STATE_CHIPS[state],
      isChip: true,
      textStyle: 'phrase',
    },
    {
      key: 'due',
      label: t('columnDue'),
      text: ({ dueOn }) => dayText(lang, dueOn),
      textStyle: 'meta',
      isLabelled: true,
      isShort: true,
    },
    {
      key: 'rows',
      label: t('columnRows'),
      text: ({ rowsFilled }) => String(rowsFilled),
      isNumber: true,
      isLabelled: true,
      isMinor: true,
    },
  ];
  return { rows, columns };
}

/** Redirects to the same page of the company that the sheet is of, which the frame shows. */
async function redirectToClient(page: Page, { sheet }: OpenedSheet): Promise<Response | undefined> {
  if ((await page.locals.client)?.id === sheet.clientId) return undefined;
  const path = page.url.pathname.endsWith('/send') ? `${sheetPath(sheet.id)}/send` : sheetPath(sheet.id);
  return redirectTo(page.locals.pathTo(path, { client: sheet.clientId }));
}

/** A sheet for those who fill it in: a page of employees, saved as a whole, without anything that was typed being lost. */
export async function sheetPage(page: Page, sheetId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const here = page.url.pathname + page.url.search;
  const t = translationsFor(lang, 'payroll-entries');
  const saved = await postedCells(page, sheetId);
  if (saved instanceof Response) return saved;
  const pressed = await useActions(
    page,
    {
      undo: async () => flashTo(here, 'success', 'undone', { count: await undoStep(actor, sheetId) }),
      copy: async () => {
        const count = await copyLastMonth(actor, sheetId);
        return count === 0
          ? flashTo(here, 'danger', 'nothingToCopy')
          : flashTo(here, 'success', 'copied', { count });
      },
      'take-back': async () => {
        await takeBackSheet(actor, sheetId);
        return flashTo(here, 'success', 'takenBack');
      },
    },
    ({ code }) => refusedTo(here, code),
  );
  if (pressed) return pressed;
  const opened = await openSheet(actor, sheetId);
  const redirect = page.request.method === 'GET' ? await redirectToClient(page, opened) : undefined;
  if (redirect) return redirect;
  const { sheet, returned } = opened;
  return {
    ...opened,
    ...rowsView(page, opened, saved?.problems),
    month: formatMonth(lang, sheet.competence),
    due: dayText(lang, sheet.dueOn),
    totals: totalsView(lang, opened),
    late: await listLateEntries(actor, sheetId),
    /** What is wrong with what was typed, with the ids of its fields. */
    problems: [...(saved?.problems ?? [])].map(([name, { problem }]) => ({
      id: name,
      text: t('problemIn', { ...placeOf(opened, name), problem }),
    })),
    wasClosed: saved?.wasClosed ?? false,
    returnedCells: returned?.cells.length ?? 0,
    editor: {
      sheetId,
      pasteHref: pathTo(`${sheetPath(sheetId)}/paste`),
      lang,
      locale: LANGUAGES[lang],
      columns: opened.columns,
      isViewing: session.viewing !== undefined,
      words: messagesOf(lang, 'payroll-entries', sheetWords),
      valueTexts: messagesOf(lang, 'inputs', valueWords),
    },
    sendHref: pathTo(`${sheetPath(sheetId)}/send`),
    pasteHref: pathTo(`${sheetPath(sheetId)}/paste`),
  };
}

export function refusedTo(to: string, code: string): Destination | undefined {
  if (code === 'CLOSED') return flashTo(to, 'danger', 'refusedClosed');
  if (code === 'NOT_POSSIBLE') return flashTo(to, 'danger', 'refusedSent');
  return code === 'EDIT_CONFLICT' ? flashTo(to, 'danger', 'refusedChanged') : undefined;
}

function placeOf({ columns, entries }: OpenedSheet, name: string): { employee: string; column: string } {
  const [, employeeId = '', column = ''] = name.split('.');
  return {
    employee: entries.find(({ employee }) => employee.id === employeeId)?.employee.name ?? '',
    column: columns.find(({ key }) => key === column)?.label ?? '',
  };
}

const base = z.record(z.string(), z.tuple([z.int().min(0), z.int().nullable()]));

function baseIn(text: string): z.output<typeof base> {
  try {
    return base.parse(JSON.parse(text));
  } catch {
    throw new PortalError('INVALID');
  }
}

/**
 * Saves the cells of a posted page. What cannot be saved stays typed, with what is wrong; a cell that somebody else has
 * changed meanwhile is a conflict, and saving again replaces theirs.
 */
async function postedCells(
  page: Page,
  sheetId: string,
): Promise<Response | { problems: Map<string, CellProblem>; wasClosed: boolean } | undefined> {
  if (page.request.method !== 'POST') return undefined;
  const form = await formOf(page.request);
  if (!form.has('save')) return undefined;
  const { lang, session } = page.locals;
  const t = translationsFor(lang, 'payroll-entries');
  const opened = await openSheet(session.actor, sheetId);
  const problems = new Map<string, CellProblem>();
  const typed: { change: CellChange; name: string; text: string }[] = [];
  for (const { employee } of opened.entries) {
    const known = form.get(`b.${employee.id}`);
    if (typeof known !== 'string') continue;
    const before = baseIn(known);
    for (const column of opened.columns) {
      const name = fieldOf(employee.id, column.key);
      const text = form.get(name);
      if (typeof text !== 'string') continue;
      const [version, value] = before[column.key] ?? [0, null];
      const read = readValue(column, text);
      if ('problem' in read)
        problems.set(name, { text, problem: translationsFor(lang, 'inputs')(read.problem) });
      else if (read.value !== value)
        typed.push({
          name,
          text,
          change: { employeeId: employee.id, column: column.key, value: read.value, base: version },
        });
    }
  }
  let [wasClosed, hasChanged] = [false, false];
  for (let at = 0; at < typed.length; at += MAX_CHANGES) {
    const some = typed.slice(at, at + MAX_CHANGES);
    try {
      const outcomes = await saveCells(
        session.actor,
        sheetId,
        some.map(({ change }) => change),
      );
      outcomes.forEach((outcome, index) => {
        const cell = some[index];
        if (!cell || outcome.kind === 'saved' || outcome.kind === 'same') return;
        hasChanged ||= outcome.kind === 'conflict';
        const column = opened.columns.find(({ key }) => key === cell.change.column);
        const other =
          outcome.kind === 'conflict' && column ? shownText(column, outcome.value, LANGUAGES[lang]) : '';
        problems.set(cell.name, {
          text: cell.text,
          problem:
            outcome.kind === 'conflict'
              ? t(other === '' ? 'conflictEmpty' : 'conflict', { value: other })
              : t('cellRefused'),
        });
      });
    } catch (error) {
      const refused = refusal(error);
      if (refused?.code !== 'CLOSED' && refused?.code !== 'NOT_POSSIBLE') throw error;
      wasClosed = refused.code === 'CLOSED';
      hasChanged = true;
      for (const { name, text } of some)
        problems.set(name, { text, problem: t(wasClosed ? 'cellClosed' : 'cellSent') });
    }
  }
  if (problems.size === 0) {
    const next = form.get('save') === 'next' ? rowsView(page, opened).next : undefined;
    const to = next ?? page.url.pathname + page.url.search;
    return answerTo(flashTo(to, 'success', 'savedCells', { count: typed.length }));
  }
  page.response.status = hasChanged ? 409 : 422;
  return { problems, wasClosed };
}

/** What is sent with a sheet, and what is to be corrected first. */
export async function sendPage(page: Page, sheetId: string) {
  const { lang, session, pathTo } = page.locals;
  const to = pathTo(sheetPath(sheetId));
  const pressed = await useActions(
    page,
    {
      send: async (value) => {
        const { receipt } = await submitSheet(session.actor, sheetId, { isConfirmed: value === 'confirmed' });
        return flashTo(to, 'success', 'sent', { receipt: receipt ?? '' });
      },
    },
    ({ code }) =>
      code === 'INCOMPLETE'
        ? flashTo(page.url.pathname + page.url.search, 'danger', 'refusedIncomplete')
        : code === 'EMPTY'
          ? flashTo(to, 'danger', 'refusedEmpty')
          : refusedTo(to, code),
  );
  if (pressed) return pressed;
  const opened = await openSheet(session.actor, sheetId);
  const redirect = await redirectToClient(page, opened);
  if (redirect) return redirect;
  if (!opened.isOpen) return redirectTo(to);
  const findings = await findIssues(opened);
  const textOf = (blocks: boolean): string[] =>
    findings.filter((each) => each.blocks === blocks).map((each) => findingText(lang, each, opened));
  return {
    ...opened,
    month: formatMonth(lang, opened.sheet.competence),
    totals: totalsView(lang, opened),
    blocking: textOf(true),
    warnings: textOf(false),
    without: opened.entries
      .filter(({ cells }) => Object.values(cells).every(({ value }) => value === null))
      .map(({ employee }) => employee.name),
    backHref: to,
  };
}
