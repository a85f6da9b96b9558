import { sql } from 'kysely';
import { findAction } from '#features/base/actions/actions.ts';
import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { sumsOf } from '#features/base/grids/reading.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { FISCAL_REPORT } from '#features/brazil/fiscal-documents/grids.server.ts';
import {
  entriesReport,
  reportChoices,
  totalsOfReport,
} from '#features/brazil/payroll-entries/entries-report.server.ts';
import { firmToday } from '#features/brazil/service-requests/scope.server.ts';
import { monthsOfClient } from '#features/brazil/fiscal-documents/months.server.ts';
import { isStorageOpen } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { monthName } from '#features/brazil/fiscal-documents/storage-page.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { formatSize, formatMoney } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { DEADLINES, deadlineSql, registrationChoices, registrationsGrid } from './registrations.server.ts';
import { addedBy, storedDocumentsGrid } from './stored-documents.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: {
    lang: Lang;
    session: Session;
    pathTo: PathTo;
    client: Promise<{ id: string; displayAs: string } | undefined>;
  };
}

/** What the page of a report shows; without a client there is nothing to report on. */
export type ReportView =
  | { client: undefined }
  | {
      client: { id: string };
      grid: Exclude<Awaited<ReturnType<typeof useGrid>>, Response>;
      sums: readonly { label: string; text: string }[];
      isCut: boolean;
    };

type Report = 'stored-documents' | 'stored-documents-report' | 'payroll-entries' | 'payroll-registrations';

/** A report of an address: closed where the person may not open it, or where the firm stores no fiscal documents. */
export async function reportState(
  { locals: { session } }: Page,
  report: Report,
): Promise<'open' | 'closed' | 'notOrdered'> {
  if (findAction(session.actor.access, 'br-reports', report)?.isOpen !== true) return 'closed';
  const isFiscal = report === 'stored-documents-report';
  return isFiscal && !(await isStorageOpen(session.actor)) ? 'notOrdered' : 'open';
}

/** The documents of the active client, and how many and how large all are that the filter finds. */
export async function storedDocumentsPage(page: Page) {
  const { lang, session } = page.locals;
  const client = await page.locals.client;
  if (!client) return { client };
  const grid = await useGrid(page, storedDocumentsGrid);
  if (grid instanceof Response) return grid;
  const query = { ...grid.query, client: client.id };
  const { parts, isCut } = await sumsOf(storedDocumentsGrid, session.actor, query, {
    by: addedBy,
    value: sql<number>`documents.size`,
  });
  const t = translationsFor(lang, 'reports');
  const sums = parts.map(({ part, count, total }) => ({
    label: t(part === 'firm' ? 'byFirm' : 'byClient'),
    text: t('sumOfDocuments', { count, size: formatSize(LANGUAGES[lang], total) }),
  }));
  return { client, grid, sums, isCut };
}

/** What is summed: documents that count, by their direction. */
const counting = sql<string>`case when fiscal_documents.is_test = 1 or fiscal_documents.state <> 'authorized'
  then 'other' else fiscal_documents.direction end`;

const PARTS = [
  ['out', 'sumOut'],
  ['in', 'sumIn'],
  ['other', 'sumOther'],
] as const;

/** The fiscal documents of the active client in all archives, and the sums of all that the filter finds. */
export async function fiscalReportPage(page: Page) {
  const { lang, session } = page.locals;
  const client = await page.locals.client;
  if (!client) return { client };
  const months = await monthsOfClient(client.id);
  const choices = months.map((month) => ({ value: month, text: monthName(LANGUAGES[lang], month) }));
  const allMonths = translationsFor(lang, 'fiscal-documents')('allMonths');
  const grid = await useGrid(page, FISCAL_REPORT, {
    choices: { month: [{ value: '', text: allMonths }, ...choices] },
  });
  if (grid instanceof Response) return grid;
  const query = { ...grid.query, client: client.id };
  const { parts, isCut } = await sumsOf(FISCAL_REPORT, session.actor, query, {
    by: counting,
    value: sql<number>`fiscal_documents.total_cents`,
  });
  const t = translationsFor(lang, 'reports');
  const sums = PARTS.flatMap(([name, label]) => {
    const sum = parts.find(({ part }) => part === name);
    if (!sum) return [];
    const amount = formatMoney(LANGUAGES[lang], sum.total / 100, 'BRL');
    return [{ label: t(label), text: t('sumOfFiscal', { count: sum.count, amount }) }];
  });
  return { client, grid, sums, isCut };
}

const withAll = (choices: readonly Choice[], all: string): Choice[] => [{ value: '', text: all }, ...choices];

/** The payroll entries of the active client, and the totals of each column over all that the filter finds. */
export async function entriesReportPage(page: Page) {
  const { lang, session } = page.locals;
  const client = await page.locals.client;
  if (!client) return { client };
  const t = translationsFor(lang, 'reports');
  const { months, lists, columns } = await reportChoices(session.actor, client.id, lang);
  const grid = await useGrid(page, entriesReport, {
    choices: {
      from: withAll(months, t('anyMonth')),
      to: withAll(months, t('anyMonth')),
      list: withAll(lists, t('allLists')),
      column: withAll(columns, t('allEntries')),
    },
  });
  if (grid instanceof Response) return grid;
  const query = { ...grid.query, client: client.id };
  const { sums, isCut } = await totalsOfReport(session.actor, query, lang);
  return {
    client,
    grid,
    sums: sums.map(({ label, text, count }) => ({ label, text: t('sumOfEntries', { count, total: text }) })),
    isCut,
  };
}

/** The registrations of the active client, and for how many the date of the law was met. */
export async function registrationsPage(page: Page) {
  const { lang, session } = page.locals;
  const client = await page.locals.client;
  if (!client) return { client };
  const t = translationsFor(lang, 'reports');
  const { type, status } = registrationChoices(lang);
  const grid = await useGrid(page, registrationsGrid, {
    choices: { type: withAll(type, t('allRegistrations')), status: withAll(status, t('allStates')) },
  });
  if (grid instanceof Response) return grid;
  const query = { ...grid.query, client: client.id };
  const today = await firmToday(session.actor.companyId);
  const { parts, isCut } = await sumsOf(registrationsGrid, session.actor, query, {
    by: deadlineSql(today),
    value: sql<number>`1`,
  });
  const sums = DEADLINES.flatMap((deadline) => {
    const sum = parts.find(({ part }) => part === deadline);
    return sum
      ? [{ label: t(`deadline_${deadline}`), text: t('sumOfRegistrations', { count: sum.count }) }]
      : [];
  });
  return { client, grid, sums, isCut };
}
