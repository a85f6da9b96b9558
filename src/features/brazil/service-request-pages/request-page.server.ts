import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { editorWords, fileWords } from '#features/tasks/answer-editor/ui/editor-messages.ts';
import { editorSection } from '#features/tasks/questionnaires/editor.server.ts';
import type { EditorItem } from '#features/tasks/questionnaires/editor.ts';
import { offeredEntries } from '#features/tasks/questionnaires/lookups.server.ts';
import { newRowId } from '#features/tasks/questionnaires/posted-answers.server.ts';
import { problemWords, sharedProblemWords } from '#features/tasks/questionnaires/problem-messages.ts';
import { problemOfQuestion } from '#features/tasks/questionnaires/problem-texts.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  progressOf,
  sectionProblems,
  textIn,
  visibleSections,
  type Problem,
} from '#features/tasks/questionnaires/rules.ts';
import { withReturnedItems } from '#features/tasks/task-page/returned-items.server.ts';
import { SAVED, type StepLink } from '#features/tasks/task-page/task-page.server.ts';
import { shownAnswers, withAnswers } from '#features/tasks/task-submissions/answers-view.server.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { unlessStorageIsFull, type PortalError } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { messagesOf, translationsFor } from '#platform/text/translations.server.ts';
import { performAction, sendingOf } from '#features/brazil/service-requests/acting.server.ts';
import { clientForms } from './client-forms.server.ts';
import { removeFromRequest } from '#features/brazil/service-requests/files.server.ts';
import { chooseAnswer, keptAnswers } from '#features/brazil/service-requests/kept-answers.server.ts';
import { requestPage as addressOf } from './list-pages.server.ts';
import { requestFor } from '#features/brazil/service-requests/listing.server.ts';
import { aboutRequest } from '#features/brazil/service-requests/mails.server.ts';
import { lockOf } from '#features/brazil/service-requests/marks.server.ts';
import { hasRules } from '#features/brazil/service-request-rules/kinds.ts';
import { checkRequest, findingsFor, prevents } from '#features/brazil/service-requests/preflight.server.ts';
import { formOfRequest } from '#features/brazil/service-requests/request-forms.server.ts';
import { minimumOf } from '#features/brazil/service-request-forms/forms.ts';
import { saveReason } from '#features/brazil/service-requests/saving.server.ts';
import { requestRow, type RequestRow } from '#features/brazil/service-requests/scope.server.ts';
import type { ServiceRequest } from '#features/brazil/service-requests/service-requests.ts';
import { stateForClient } from './status.server.ts';
import { answersOf, type RequestAnswers } from '#features/brazil/service-requests/stored-answers.server.ts';
import { submissionOf } from '#features/brazil/service-requests/submissions.server.ts';

export interface RequestPage {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

type PathOf = (query?: Record<string, string | undefined>) => string;

/** What the editor says of a request that can no longer be changed. */
const ownerWords = ['closedMeanwhile', 'refusedClosed', 'refusedExpired'] as const;

/** The last step: what was answered, what the law says, and the button that sends it. */
const CHECK = 'check';

/**
 * A request for the contacts of its client: the step that is open, the check before it is sent, or what became of it. Staff
 * are led to their page. NOT_FOUND, FORBIDDEN.
 */
export async function requestPage(page: RequestPage, requestId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await requestRow(actor, requestId);
  if (actor.staff) return redirectTo(pathTo(`staff/service-requests/${requestId}`));
  const address = addressOf(requestId);
  const pinned = page.url.searchParams.get('client');
  if (pinned !== null && pinned !== row.client_id)
    return redirectTo(pathTo(address, { client: row.client_id }));
  const pathOf: PathOf = (query = {}) => pathTo(address, query);
  const done = await useActions(page, buttonsOf(page, row, pathOf), (error) => refused(error, pathOf));
  if (done) return done;
  const forms = await clientForms(page, row, pathOf);
  if (forms instanceof Response) return forms;
  const request = await requestFor(actor, requestId);
  if (page.request.method === 'GET' && session.viewing === undefined)
    await unlessStorageIsFull(() => recordDone([aboutRequest(requestId)], actor.contactId));
  return {
    request,
    forms,
    firm: (await firmOf(row.company_id)).name,
    type: translationsFor(lang, 'service-requests')(`type_${row.type}`),
    state: stateForClient(request, lang),
    here: pathOf(),
    filling: request.possible.includes('save') ? await fillingOf(page, row, { request, pathOf }) : undefined,
    submitted: await submittedSections(actor, row, lang),
  };
}

/** The buttons of the page. */
function buttonsOf(page: RequestPage, row: RequestRow, pathOf: PathOf) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const { request_id: id } = row;
  const step = page.url.searchParams.get('step') ?? undefined;
  const said = (key: 'sent' | 'takenBack' | 'deleted', to: string): Destination => ({
    to,
    flash: { type: 'success', namespace: 'service-requests', key },
  });
  const choose = async (keptId: string, isKept: boolean): Promise<Destination> => {
    await chooseAnswer(actor, id, keptId, isKept);
    return { to: pathOf({ step }) };
  };
  return {
    send: async (what: string) => {
      await performAction(actor, id, what === 'minimum' ? 'submit-minimum' : sendingOf(row));
      return said('sent', pathOf());
    },
    'take-back': async () => {
      await performAction(actor, id, 'take-back');
      return said('takenBack', pathOf({ step: CHECK }));
    },
    'delete-draft': async () => {
      await performAction(actor, id, 'delete');
      return said('deleted', pathTo('actions/service-request/requests'));
    },
    'save-reason': async (value: string, posted: FormData) => {
      const [rule = ''] = value.split('.');
      await saveReason(actor, id, rule, String(posted.get(`reason:${value}`) ?? ''));
      return { to: pathOf({ step: CHECK }), flash: CHANGED };
    },
    'use-kept': (keptId: string) => choose(keptId, true),
    'keep-stored': (keptId: string) => choose(keptId, false),
    'remove-file': async (value: string) => {
      const [path = '', documentId = ''] = value.split(' ');
      await removeFromRequest(actor, id, path, documentId);
      return { to: pathOf({ step: path.split('.')[0] }), flash: CHANGED };
    },
  } as const;
}

const CHANGED = { type: 'success', namespace: 'tasks', key: 'saved' } as const;

/** A refused button shows the page again, with the state that the request has now. */
function refused({ code }: PortalError, pathOf: PathOf): Destination | undefined {
  const keys = {
    CLOSED: 'refusedClosed',
    OPENED: 'refusedOpened',
    NOT_POSSIBLE: 'refusedChanged',
    EDIT_CONFLICT: 'refusedChanged',
    INCOMPLETE: 'refusedIncomplete',
    LOCKED: 'refusedLocked',
  } as const;
  const key = code in keys ? keys[code as keyof typeof keys] : undefined;
  return (
    key && {
      to: pathOf({ step: CHECK }),
      flash: { type: 'danger', namespace: 'service-requests', key },
    }
  );
}

interface Filling {
  request: ServiceRequest;
  pathOf: PathOf;
}

/** What a client fills: the steps, the one that is open, and the check. */
async function fillingOf(page: RequestPage, row: RequestRow, { request, pathOf }: Filling) {
  const { lang, session } = page.locals;
  const form = await formOfRequest(row);
  const filled = await answersOf(row.request_id);
  const steps = stepsOf(page, form, filled, { request, pathOf });
  const current = steps.find(({ isCurrent }) => isCurrent);
  const saved = steps.find(({ key }) => key === page.url.searchParams.get(SAVED));
  const returned = await returnedOf(row, form, lang);
  return {
    steps,
    current,
    /** The step before, which was just saved. The check says itself what is missing. */
    saved:
      saved && saved !== current
        ? {
            title: saved.title,
            problems: current ? missingIn(form, saved.key, { answers: filled.answers, lang, pathOf }) : [],
          }
        : undefined,
    step: current && (await stepForm(page, row, form, { step: current, steps, filled, returned, pathOf })),
    /** Where the portal says what the rules need while somebody types. */
    rules:
      session.viewing === undefined && hasRules(row.type)
        ? `${callsOf(row)}/rules?language=${lang}`
        : undefined,
    kept: await keptAnswers(lang, row.request_id, form, filled.answers),
    returned: (returned?.items ?? []).map((item) => ({ ...item, href: pathOf({ step: item.section }) })),
    check: current ? undefined : await checkOf(session.actor, row, form, { filled, lang, pathOf }),
    minimum: request.possible.includes('submit-minimum')
      ? await minimumSection(session.actor, row, form, { filled, lang })
      : undefined,
  };
}

/** The steps that apply. The open one is that of the address; for a draft else the first that is not settled. */
function stepsOf(
  page: RequestPage,
  form: Template,
  { answers }: RequestAnswers,
  { request, pathOf }: Filling,
): StepLink[] {
  const steps = progressOf(form, answers).map(({ key, isSettled, isOptional }) => {
    const number = form.sections.findIndex((section) => section.key === key) + 1;
    const section = form.sections[number - 1];
    return {
      number,
      key,
      title: section ? textIn(section.label, page.locals.lang, form) : '',
      isSettled,
      isOptional,
      isNotApplicable: false,
      href: pathOf({ step: key }),
    };
  });
  const wanted = page.url.searchParams.get('step');
  const first = request.status === 'Draft' ? steps.find(({ isSettled }) => !isSettled) : undefined;
  const open = wanted === CHECK ? undefined : (steps.find(({ key }) => key === wanted) ?? first);
  return steps.map((step) => ({ ...step, isCurrent: step === open }));
}

/** What was returned, with its reasons and what is locked beside it; undefined if nothing was. */
async function returnedOf(row: RequestRow, form: Template, lang: Lang) {
  const lock = await lockOf(row, form);
  if (!lock) return undefined;
  const answers = answersIn(
    (await submissionOf(row.request_id, Number(row.submission)))?.content.answers ?? [],
  );
  const items = [...lock.returned].map(([path, reason]) => {
    const [section = '', key = ''] = path.split('.');
    const item = form.sections.find((each) => each.key === section)?.items.find((each) => each.key === key);
    return { path, reason, section, title: item ? textIn(item.label, lang, form) : '' };
  });
  return { lock, answers, items };
}

/** What a step lacks to be sent, with the addresses of its questions. */
function missingIn(
  form: Template,
  step: string,
  { answers, lang, pathOf }: { answers: Answers; lang: Lang; pathOf: PathOf },
) {
  const visible = visibleSections(form, answers).find(({ section }) => section.key === step);
  return (visible ? sectionProblems(visible, 'submit') : []).map((problem) =>
    linkedProblem(form, problem, { lang, pathOf }),
  );
}

const linkedProblem = (
  form: Template,
  problem: Problem,
  { lang, pathOf }: { lang: Lang; pathOf: PathOf },
) => ({
  path: problem.path,
  text: problemOfQuestion(form, problem, lang),
  href: pathOf({ step: problem.path.split('.')[0], check: 'submit' }),
});

const callsOf = ({ request_id: id }: RequestRow): string => `/api/service-request/v1/requests/${id}`;

interface Step {
  step: StepLink;
  steps: readonly StepLink[];
  filled: RequestAnswers;
  returned: Awaited<ReturnType<typeof returnedOf>>;
  pathOf: PathOf;
}

/** What the editor of a step shows: its questions, and hidden what the server needs to save it. */
async function stepForm(
  page: RequestPage,
  row: RequestRow,
  form: Template,
  { step, steps, filled: { answers, versions }, returned, pathOf }: Step,
) {
  const { lang, session } = page.locals;
  const address = callsOf(row);
  const t = translationsFor(lang, 'tasks');
  const visible = visibleSections(form, answers).find(({ section }) => section.key === step.key);
  const check = page.url.searchParams.get('check');
  const problems = visible ? sectionProblems(visible, check === 'submit' ? 'submit' : 'typing') : [];
  const section = form.sections.find(({ key }) => key === step.key);
  const context = { companyId: row.company_id, clientId: row.client_id, lang };
  const asked = editorSection(form, step.key, {
    answers,
    lang,
    problems,
    newRowId,
    lookupAddress: (list) => `${address}/lookups/${list}?language=${lang}`,
    offered: await offeredEntries(context, form, step.key, answers),
  });
  const firm = (await firmOf(row.company_id)).name;
  const editor =
    asked && withReturnedItems(asked, returned, { lang, form, answers: returned?.answers ?? {}, firm });
  const files = new Map(
    Object.entries(answers).flatMap(([path, value]) =>
      path.startsWith(`${step.key}.`) && Array.isArray(value) ? [[path, value] as const] : [],
    ),
  );
  const documents = await documentsOfAnswers(session.actor, [...files.values()].flat());
  const next = steps[steps.indexOf(step) + 1];
  const back = pathOf({ step: step.key, check: 'typing' });
  return {
    lead: section?.lead ? textIn(section.lead, lang, form) : '',
    slots: fileFields(editor?.items ?? []),
    editor: editor && {
      ownerId: row.request_id,
      calls: { answers: `${address}/answers`, section: `${address}/sections/${step.key}` },
      formId: 'step',
      lang,
      locale: LANGUAGES[lang],
      action: `${address}/sections/${step.key}?upload=${newId('form')}&r=${encodeURIComponent(back)}`,
      page: pathOf({ step: step.key }),
      section: editor,
      isViewing: session.viewing !== undefined,
      viewingText: translationsFor(lang, 'shell')('viewingReadOnly', { name: session.actor.fullName }),
      hidden: { lang, next: pathOf({ step: next?.key ?? CHECK, [SAVED]: step.key }) },
      versions: Object.fromEntries(versions),
      submit: t(next ? 'saveContinue' : 'saveCheck'),
      problemTitle: t('stepProblems'),
      problems: problems.map((problem) => ({
        field: problem.path,
        text: problemOfQuestion(form, problem, lang),
      })),
      words: messagesOf(lang, 'answer-editor', editorWords),
      ownerWords: messagesOf(lang, 'service-requests', ownerWords),
      problemWords: messagesOf(lang, 'questionnaires', problemWords),
      sharedWords: messagesOf(lang, 'inputs', sharedProblemWords),
      fileWords: messagesOf(lang, 'documents', fileWords),
    },
    offered: [],
    promiseAt: () => undefined,
    lastFilesAt: () => [],
    filesAt: (path: string) => (files.get(path) ?? []).flatMap((id) => documents.get(id) ?? []),
  };
}

/** The fields whose documents the page shows itself. */
const fileFields = (items: readonly EditorItem[]): FieldView[] =>
  items
    .flatMap((item) =>
      item.kind === 'question'
        ? item.fields
        : Object.values(item.rows).flatMap((each) => Object.values(each).flat()),
    )
    .filter(({ kind }) => kind === 'slot');

/** What was answered, what is missing or wrong, and what the law says. */
async function checkOf(
  actor: Actor,
  row: RequestRow,
  form: Template,
  { filled, lang, pathOf }: { filled: RequestAnswers; lang: Lang; pathOf: PathOf },
) {
  const { problems, findings } = await checkRequest(actor, row, form, { filled, lang });
  const blocking = findings.filter(({ severity }) => severity === 'blocks');
  return {
    problems: problems.map((problem) => linkedProblem(form, problem, { lang, pathOf })),
    blocking: blocking.map(({ path, text, law }) => ({
      text,
      law,
      href: path === '' ? undefined : pathOf({ step: path.split('.')[0] }),
    })),
    // what the component of the tasks shows
    findings: findings
      .filter(({ severity }) => severity !== 'blocks')
      .map(({ rule, severity, path, text, law, reason }) => ({
        rule,
        id: rule,
        severity: severity === 'confirm' ? ('confirms' as const) : severity,
        path,
        text,
        law,
        reason,
      })),
    isPrevented: findings.some(prevents),
    sections: withAnswers(await shownAnswers(actor, lang, form, filled.answers)),
  };
}

/** The title of the section that can be sent by itself; undefined while it is not complete. */
async function minimumSection(
  actor: Actor,
  row: RequestRow,
  form: Template,
  { filled, lang }: { filled: RequestAnswers; lang: Lang },
): Promise<string | undefined> {
  const minimum = minimumOf(row.type, form);
  const { problems, findings } = await checkRequest(actor, row, minimum, { filled, lang });
  const [first] = minimum.sections;
  return first && problems.length === 0 && !findings.some(prevents)
    ? textIn(first.label, lang, form)
    : undefined;
}

/** What was sent last, as text; undefined before the first time. */
export async function submittedSections(actor: Actor, row: RequestRow, lang: Lang) {
  const last = await submissionOf(row.request_id, Number(row.submission));
  if (!last || row.status === 'Draft') return undefined;
  const form = await formOfRequest(row);
  return {
    number: last.number,
    submittedAt: last.submittedAt,
    receipt: last.receipt,
    findings: await findingsFor(row.type, last.content.findings, lang),
    sections: withAnswers(await shownAnswers(actor, lang, form, answersIn(last.content.answers))),
  };
}
