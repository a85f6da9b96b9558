import { isAtWork } from '#features/base/batches/batches.ts';
import { ROWS_A_PAGE } from '#features/base/batches/rows.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Session } from '#features/base/people/people.ts';
import type { NoticeRecipients } from '#features/clients/notice-recipients/recipients.server.ts';
import { staffChoices } from '#features/clients/clients/list-choices.server.ts';
import { reminderSubject } from '#features/brazil/service-requests/mails.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { refreshWhile } from '#platform/http/refresh.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import {
  loadBatch,
  beginBatch,
  countAssigned,
  discardBatch,
  listRows,
  recipientsOfBatch,
  stopBatch,
  undoBatch,
} from './batches.server.ts';
import type { DeskRow } from './desk.ts';
import { assignForm } from './forms.server.ts';
import { rowList } from './lists.server.ts';

interface Page {
  request: Request;
  url: URL;
  response: { status?: number; headers: Headers };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** What is done with many requests: what would be, how far it is, or what was. At work, the page refreshes itself. */
export async function batchPage(page: Page, batchId: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/service-requests/batches/${batchId}`);
  const after = (work: Promise<void>): Promise<Destination> => work.then(() => ({ to: here }));
  const done = await useActions(
    page,
    {
      'act=begin': () => after(beginBatch(actor, batchId)),
      'act=stop': () => after(stopBatch(actor, batchId)),
      'act=undo': () => after(undoBatch(actor, batchId)),
      'act=discard': async () => {
        await discardBatch(actor, batchId);
        return { to: pathTo('staff/service-requests') };
      },
    },
    ({ code }) => (code === 'STALE' || code === 'NOT_POSSIBLE' ? changed(here) : undefined),
  );
  if (done) return done;
  const batch = await loadBatch(actor, batchId);
  const isReady = batch.state === 'ready' && batch.counts.waiting > 0;
  const form =
    isReady && batch.action === 'assign'
      ? await assigning(page, (responsible) => after(beginBatch(actor, batchId, responsible)))
      : undefined;
  if (form instanceof Response) return form;
  refreshWhile(isAtWork(batch.state), page);
  const list = useList(page, rowList);
  const { rows, total } = await listRows(actor, batchId, list.query, lang);
  const isReminding = batch.action === 'remind' && batch.state === 'ready';
  const recipients = isReminding ? await recipientsOfBatch(actor, batchId) : undefined;
  return {
    batch,
    form,
    /** Of how many somebody is responsible already. */
    assigned: isReady && batch.action === 'assign' ? await countAssigned(actor, batchId) : 0,
    recipients,
    subject: reminderSubject(lang, await firmOf(actor.companyId), 2),
    title: translationsFor(lang, 'service-request-desk')(`do_${batch.action}`),
    filter: list.filter(undefined),
    rows,
    columns: rowColumns(lang, { pathTo, recipients }),
    pager: list.pager(total, ROWS_A_PAGE),
  };
}

const changed = (to: string): Destination => ({
  to,
  flash: { type: 'danger', namespace: 'service-request-desk', key: 'batchChanged' },
});

async function assigning(
  page: Page,
  submit: (responsible: string | null) => Promise<Destination>,
): Promise<FormView | Response> {
  const { lang, session } = page.locals;
  const nobody = { value: '', text: translationsFor(lang, 'service-request-desk')('nobody') };
  return useForm(page, assignForm, {
    values: { responsible: session.actor.contactId },
    choices: { responsible: [nobody, ...(await staffChoices(session.actor))] },
    submit: ({ responsible }) => submit(responsible || null),
  });
}

interface RowContext {
  pathTo: PathTo;
  /** Who is reminded, before they are. */
  recipients: readonly NoticeRecipients[] | undefined;
}

function rowColumns(lang: Lang, { pathTo, recipients }: RowContext): Column<DeskRow>[] {
  const t = translationsFor(lang, 'service-request-desk');
  const names = new Map(recipients?.map((each) => [each.clientId, each.names]));
  const list = new Intl.ListFormat(LANGUAGES[lang], { type: 'conjunction' });
  const contacts: Column<DeskRow> = {
    key: 'contacts',
    label: t('columnContacts'),
    text: ({ state, clientId }) => (state === 'waiting' ? list.format(names.get(clientId) ?? []) : ''),
    textStyle: 'phrase',
  };
  return [
    {
      key: 'request',
      label: t('columnRequest'),
      text: ({ title }) => title,
      href: ({ requestId }) => pathTo(`staff/service-requests/${requestId}`),
      isRowHeader: true,
    },
    {
      key: 'client',
      label: t('columnClient'),
      text: ({ client }) => client,
      textStyle: 'phrase',
    },
    ...(recipients ? [contacts] : []),
    {
      key: 'state',
      label: t('columnState'),
      text: ({ state }) => t(`row_${state}`),
      note: ({ problem }) => (problem === '' ? undefined : t(`problem_${problem}`)),
      isProblem: ({ state }) => state === 'failed',
      textStyle: 'phrase',
    },
  ];
}

/** The calls that export the requests of a batch. */
export const exportUrl = (batchId: string, format: string, lang: Lang): string =>
  `/api/service-request/v1/exports/${batchId}?${new URLSearchParams({ format, lang })}`;
