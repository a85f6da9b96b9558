import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { isMasked, readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import type { ShownSection } from '#features/tasks/task-submissions/answers-view.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import { refusal, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  assignRequest,
  performAction,
  type PerformedAction,
} from '#features/brazil/service-requests/acting.server.ts';
import {
  hasChangedEmployee,
  plannedChange,
  VACATION,
  type PlannedChange,
} from '#features/brazil/service-requests/employee-changes.server.ts';
import { keepsEmployees } from '#features/brazil/employees/access.server.ts';
import { uploadWithReply } from '#features/brazil/service-requests/files.server.ts';
import {
  askForm,
  cancelForm,
  declineForm,
  firmMessageForm,
  reopenChangedForm,
  reopenForm,
  replyForm,
  replyWithChangeForm,
  replyWithEmployeeForm,
} from './forms.server.ts';
import { requestFor } from '#features/brazil/service-requests/listing.server.ts';
import { aboutRequest } from '#features/brazil/service-requests/mails.server.ts';
import { addMessage } from '#features/brazil/service-requests/messages.server.ts';
import { formOfRequest } from '#features/brazil/service-requests/request-forms.server.ts';
import { submittedSections, type RequestPage } from './request-page.server.ts';
import { requestRow, type RequestRow } from '#features/brazil/service-requests/scope.server.ts';
import { dayText, stateForFirm } from './status.server.ts';
import { submissionOf } from '#features/brazil/service-requests/submissions.server.ts';

/** A request for the firm: what was sent, what was written, and what can be done with it. NOT_FOUND. */
export async function staffRequestPage(page: RequestPage, requestId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await requestRow(actor, requestId);
  const here = pathTo(`staff/service-requests/${requestId}`);
  const done = await useActions(page, buttonsOf(actor, requestId, here), ({ code }) => {
    const key = code === 'EMPTY' ? 'refusedNothingReturned' : 'refusedChanged';
    const isKnown = ['EMPTY', 'CLOSED', 'NOT_POSSIBLE', 'EDIT_CONFLICT', 'INVALID', 'CHANGED'].includes(code);
    return isKnown ? { to: here, flash: { type: 'danger', namespace: 'service-requests', key } } : undefined;
  });
  if (done) return done;
  const planned = await shownChange(actor, row);
  const forms = await staffForms(page, row, { here, planned });
  if (forms instanceof Response) return forms;
  if (page.request.method === 'GET') await open(actor, row);
  const request = await requestFor(actor, requestId);
  const submitted = await submittedSections(actor, row, lang);
  const isWriter = !isReadOnly(actor);
  const mayDo = (action: PerformedAction): boolean => isWriter && request.possible.includes(action);
  return {
    request,
    type: translationsFor(lang, 'service-requests')(`type_${row.type}`),
    state: stateForFirm(request, lang),
    due: dayText(lang, request.dueOn),
    promised: dayText(lang, request.promisedOn),
    lapses: dayText(lang, request.lapsesOn),
    isMine: row.responsible === actor.contactId,
    responsibleId: row.responsible ?? '',
    mayTake: isWriter && request.status !== 'Replied',
    mayReturn: mayDo('return'),
    forms: {
      reply: mayDo('reply') ? forms.reply : undefined,
      ask: mayDo('ask') ? forms.ask : undefined,
      decline: mayDo('decline') ? forms.decline : undefined,
      cancel: mayDo('cancel') ? forms.cancel : undefined,
      reopen: mayDo('reopen') ? forms.reopen : undefined,
      message: isWriter && request.status !== 'Draft' ? forms.message : undefined,
    },
    changes: mayDo('reply') && planned ? changeLines(planned, lang) : [],
    submitted: submitted && {
      ...submitted,
      sections: await revealed(row, submitted.sections, lang),
    },
    items: submitted ? itemsOf(submitted.sections) : [],
    exports:
      submitted &&
      (['json', 'csv'] as const).map((format) => ({
        format,
        href: `/api/service-request/v1/requests/${requestId}/export?format=${format}`,
      })),
  };
}

/** Staff who may answer have opened what waits for them: the client can no longer take it back. */
async function open(actor: Actor, row: RequestRow): Promise<void> {
  await unlessStorageIsFull(() => recordDone([aboutRequest(row.request_id)], actor.contactId));
  if (isReadOnly(actor) || row.status !== 'WaitingForAnswer' || row.opened_at !== null) return;
  await unlessStorageIsFull(async () => {
    try {
      await performAction(actor, row.request_id, 'open');
    } catch (error) {
      if (!refusal(error)) throw error; // somebody else has changed it meanwhile: the page shows what it is now
    }
  });
}

function buttonsOf(actor: Actor, requestId: string, here: string) {
  const said = (key: 'taken' | 'left' | 'returned'): Destination => ({
    to: here,
    flash: { type: 'success', namespace: 'service-requests', key },
  });
  return {
    take: async (value: string, posted: FormData) => {
      // a request that someone else has taken on in the meantime stays theirs
      const before = posted.get('before');
      await assignRequest(actor, requestId, {
        responsible: value === 'mine' ? actor.contactId : null,
        before: typeof before === 'string' && before !== '' ? before : null,
      });
      return said(value === 'mine' ? 'taken' : 'left');
    },
    return: async (_: string, posted: FormData) => {
      const marks = [...posted]
        .filter(([name, value]) => name.startsWith(MARK) && typeof value === 'string' && value.trim() !== '')
        .map(([name, value]) => ({ path: name.slice(MARK.length), reason: String(value).trim() }));
      await performAction(actor, requestId, 'return', { marks });
      return said('returned');
    },
  } as const;
}

/** The prefix of the fields with the reasons of what is returned: the rest is the path of the answer. */
export const MARK = 'mark:';

/** What a reply of somebody who keeps employees would change. */
const shownChange = async (actor: Actor, row: RequestRow): Promise<PlannedChange | undefined> =>
  keepsEmployees(actor) && row.status !== 'Draft' && row.status !== 'Replied'
    ? plannedChange(actor, row)
    : undefined;

/** A change as sentences: what is new of the employee. */
function changeLines(planned: PlannedChange, lang: Lang): string[] {
  const t = translationsFor(lang, 'service-requests');
  if (planned.kind === 'add')
    return [t('changesAdd', { name: planned.fields.name, date: dayText(lang, planned.fields.hiredOn) })];
  const { fields, before } = planned;
  const added = (fields.leaves ?? []).filter(
    ({ startsOn, endsOn }) =>
      !before.leaves.some((each) => each.startsOn === startsOn && each.endsOn === endsOn),
  );
  return [
    ...added.map(({ startsOn, endsOn = '', reason }) => {
      const days = { from: dayText(lang, startsOn), to: dayText(lang, endsOn) };
      if (endsOn === '') return t('changesOpenLeave', days);
      return t(reason === VACATION ? 'changesVacation' : 'changesLeave', days);
    }),
    ...(fields.endedOn === undefined ? [] : [t('changesEnd', { date: dayText(lang, fields.endedOn) })]),
  ];
}

interface Reply {
  text: string;
  files: readonly File[];
  changes?: boolean;
  registration?: string;
}

/** The form of a reply, which asks about what it would change. */
function replyFormFor(
  page: RequestPage,
  planned: PlannedChange | undefined,
  submit: (reply: Reply) => Promise<Destination>,
) {
  const values = { text: '', changes: true, registration: '' };
  switch (planned?.kind) {
    case 'add':
      return useForm(page, replyWithEmployeeForm, { values, submit });
    case 'change':
      return useForm(page, replyWithChangeForm, { values, submit });
    case undefined:
      return useForm(page, replyForm, { values: { text: '' }, submit });
  }
}

interface Replying {
  here: string;
  planned: PlannedChange | undefined;
}

async function staffForms(page: RequestPage, row: RequestRow, { here, planned }: Replying) {
  const { actor } = page.locals.session;
  const requestId = row.request_id;
  const there = (key: 'asked' | 'replied' | 'declined' | 'canceled' | 'reopened'): Destination => ({
    to: here,
    flash: { type: 'success', namespace: 'service-requests', key },
  });
  const act =
    (action: PerformedAction, key: Parameters<typeof there>[0]) =>
    async ({ text }: { text: string }): Promise<Destination> => {
      await performAction(actor, requestId, action, { text });
      return there(key);
    };
  const ask = await useForm(page, askForm, { submit: act('ask', 'asked') });
  if (ask instanceof Response) return ask;
  const decline = await useForm(page, declineForm, { submit: act('decline', 'declined') });
  if (decline instanceof Response) return decline;
  const cancel = await useForm(page, cancelForm, { submit: act('cancel', 'canceled') });
  if (cancel instanceof Response) return cancel;
  const hasChanged = keepsEmployees(actor) && (await hasChangedEmployee(actor, row));
  const reopen = hasChanged
    ? await useForm(page, reopenChangedForm, {
        values: { undoes: true },
        submit: async ({ text, undoes }) => {
          await performAction(actor, requestId, 'reopen', { text, undoesChange: undoes });
          return there('reopened');
        },
      })
    : await useForm(page, reopenForm, { submit: act('reopen', 'reopened') });
  if (reopen instanceof Response) return reopen;
  const send = async ({ text, files, changes = false, registration = '' }: Reply): Promise<Destination> => {
    const documentIds: string[] = [];
    for (const file of files) documentIds.push(await uploadWithReply(actor, requestId, file));
    await performAction(actor, requestId, 'reply', {
      text,
      documentIds,
      employee: changes ? { registration } : undefined,
    });
    return there('replied');
  };
  const reply = await replyFormFor(page, planned, send);
  if (reply instanceof Response) return reply;
  const message = await useForm(page, firmMessageForm, {
    values: { audience: 'both' },
    submit: async ({ text, audience }) => {
      await addMessage(actor, requestId, { text, isInternal: audience === 'firm' });
      return {
        to: here,
        flash: {
          type: 'success',
          namespace: 'service-requests',
          key: audience === 'firm' ? 'noteAdded' : 'messageSent',
        },
      };
    },
  });
  return message instanceof Response ? message : { ask, decline, cancel, reopen, reply, message };
}

/** The answers in full: the firm needs what an event of eSocial asks. The audit log has who opened the request. */
async function revealed(
  row: RequestRow,
  sections: readonly ShownSection[],
  lang: Lang,
): Promise<ShownSection[]> {
  const form = await formOfRequest(row);
  const last = await submissionOf(row.request_id, Number(row.submission));
  const answers = answersIn(last?.content.answers ?? []);
  return sections.map((section) => ({
    ...section,
    answers: section.answers.map((answer) => {
      const question = questionAt(form, answer.path);
      const value = answers[answer.path];
      if (!question || !isMasked(question) || readAnswer(question, value).state !== 'value') return answer;
      return {
        ...answer,
        isMasked: false,
        text: displayValue(question, value, { lang, template: form, isRevealed: true }),
      };
    }),
  }));
}

/** What can be returned: questions, and rows as a whole. */
function itemsOf(sections: readonly ShownSection[]): { path: string; label: string }[] {
  const items = new Map<string, string>();
  for (const { answers } of sections)
    for (const { item, label, row } of answers)
      if (!items.has(item)) items.set(item, row === '' ? label : row);
  return [...items].map(([path, label]) => ({ path, label }));
}
