import { editorSection } from '#features/tasks/questionnaires/editor.server.ts';
import type { EditorItem } from '#features/tasks/questionnaires/editor.ts';
import { offeredEntries } from '#features/tasks/questionnaires/lookups.server.ts';
import { newRowId } from '#features/tasks/questionnaires/posted-answers.server.ts';
import { problemWords, sharedProblemWords } from '#features/tasks/questionnaires/problem-messages.ts';
import { problemOfQuestion } from '#features/tasks/questionnaires/problem-texts.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  progressOf,
  questionAt,
  sectionProblems,
  textIn,
  visibleSections,
} from '#features/tasks/questionnaires/rules.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { removeFromTask } from '#features/tasks/task-answers/files.server.ts';
import { promiseItem } from '#features/tasks/task-answers/item-promises.server.ts';
import { confirmLastYear, offeredAnswers } from '#features/tasks/task-answers/last-year.server.ts';
import { COMMENT } from '#features/tasks/task-answers/posting.server.ts';
import { editorWords, fileWords } from '#features/tasks/answer-editor/ui/editor-messages.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { setStepNotApplicable } from '#features/tasks/tasks/answering.server.ts';
import { shownAnswers, withAnswers } from '#features/tasks/task-submissions/answers-view.server.ts';
import { textAnswer } from '#features/tasks/tasks/answers.server.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { submissionProblems, notApplicableSections } from '#features/tasks/tasks/form-state.server.ts';
import { saveReason } from '#features/tasks/tasks/finding-reasons.server.ts';
import { prevents, taskFindings } from '#features/tasks/tasks/findings.server.ts';
import { chooseAnswer, keptAnswers } from '#features/tasks/tasks/kept-answers.server.ts';
import { sentTask } from './sent.server.ts';
import { returnMessage } from '#features/tasks/tasks/return-reasons.server.ts';
import { isPending, possibleActions } from '#features/tasks/tasks/rules.ts';
import { factsOf, firmToday, taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { submissionHrefs } from '#features/tasks/task-submissions/submission-files.server.ts';
import {
  documentsOfLastYear,
  lastYearOf,
} from '#features/tasks/task-submissions/submitted-last-year.server.ts';
import { formOfTask, questionAnswers, type TaskAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { hasTaskMenu, taskAfter } from '#features/tasks/task-lists/task-list.server.ts';
import { MAX_COMMENT } from '#features/tasks/tasks/tasks.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { notFound, refusal, type PortalError } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { messagesOf, translationsFor } from '#platform/text/translations.server.ts';
import { notApplicableForm, stepNotApplicableForm } from './forms.server.ts';
import { returnedItems, withReturnedItems } from './returned-items.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** A step in the list of steps. */
export interface StepLink {
  number: number;
  key: string;
  title: string;
  isSettled: boolean;
  /** Nothing is answered, and nothing has to be. */
  isOptional: boolean;
  isNotApplicable: boolean;
  isCurrent: boolean;
  href: string;
}

/** What the editor says of a task that can no longer be changed. */
const ownerWords = ['closedMeanwhile', 'refusedClosed', 'refusedExpired'] as const;

/** The last step: what was answered, and the submission. */
const CHECK = 'check';

/** The parameter that names the step before, which was just saved. */
export const SAVED = 'saved';

/**
 * The page of a task that is known by its id alone, and its query: that of staff, or that of the contacts of its
 * client. NOT_FOUND.
 */
export async function placeOfTask(
  actor: Actor,
  taskId: string,
): Promise<{ page: string; query: { client?: string } }> {
  const { client_id: client } = await taskRow(actor, taskId, { withDeleted: true });
  return actor.staff
    ? { page: `staff/tasks/${taskId}`, query: {} }
    : { page: `tasks/clients/${client}/task/${taskId}`, query: { client } };
}

/**
 * A task for the contacts of its client: the step that is open, or the summary before the submission, or what became
 * of it. Staff are led to their page of the task. NOT_FOUND for a task of another client.
 */
export async function taskPage(page: Page, clientId: string, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId);
  if (row.client_id !== clientId) throw notFound();
  if (actor.staff) return redirectTo(pathTo(`staff/tasks/${taskId}`));
  const address = `tasks/clients/${clientId}/task/${taskId}`;
  const pinned = page.url.searchParams.get('client');
  if (pinned !== null && pinned !== clientId) return redirectTo(pathTo(address, { client: clientId }));
  const pathOf = (query: Record<string, string | undefined> = {}): string => pathTo(address, query);
  const done = await useActions(
    page,
    {
      'action=submit': async () => {
        await performAction(actor, taskId, 'submit', { version: row.version });
        return toNext();
      },
      'action=take-back': async () => {
        await performAction(actor, taskId, 'take-back', { version: row.version });
        return { to: pathOf(), flash: { type: 'success', namespace: 'tasks', key: 'takenBack' } };
      },
      'apply-step': async (number) => {
        await setStepNotApplicable(actor, taskId, Number(number) || 0, '');
        return { to: pathOf({ step: page.url.searchParams.get('step') ?? undefined }) };
      },
      'confirm-last-year': async (section) => {
        await confirmLastYear(actor, taskId, section);
        return {
          to: pathOf({ step: section }),
          flash: { type: 'success', namespace: 'task-answers', key: 'lastYearTaken' },
        };
      },
      'not-yet': (path, posted) => promise(path, String(posted.get(`not-yet-on:${path}`) ?? '')),
      'withdraw-not-yet': (path) => promise(path, undefined),
      'save-reason': async (value, posted) => {
        const [rule = '', id = ''] = value.split('.');
        await saveReason(actor, taskId, { rule, id, reason: String(posted.get(`reason:${value}`) ?? '') });
        return {
          to: pathOf({ step: CHECK }),
          flash: { type: 'success', namespace: 'tasks', key: 'saved' },
        };
      },
      'use-kept': (id) => choose(id, true),
      'keep-stored': (id) => choose(id, false),
      'remove-file': async (value) => {
        const [path = '', id = ''] = value.split(' ');
        const { isNotSubmitted } = await removeFromTask(actor, taskId, path, id);
        const { name: firm } = await firmOf(row.company_id);
        return {
          to: pathOf({ step: path.split('.')[0] }),
          flash: isNotSubmitted
            ? { type: 'success', namespace: 'tasks', key: 'fileRemovedUnsubmitted', vars: { firm } }
            : { type: 'success', namespace: 'tasks', key: 'fileRemoved' },
        };
      },
    },
    (error) => refusedAction(error, pathOf),
  );
  if (done) return done;
  const sentId = page.url.searchParams.get('sent');
  const sent = sentId === null ? undefined : await sentTask(actor, sentId, lang);
  const facts = await factsOf(row);
  const possible = possibleActions(facts, 'client');
  const removal = await useForm(page, notApplicableForm, {
    submit: async ({ reason }) => {
      await performAction(actor, taskId, 'set-not-applicable', { reason });
      return toNext();
    },
  });
  if (removal instanceof Response) return removal;
  const form = await formOfTask(row);
  const filled = await questionAnswers(taskId);
  const { answers, stored } = filled;
  const notApplicable = await notApplicableSections(taskId, filled);
  const steps = form ? stepsOf(page, row, form, { answers, notApplicable, pathOf }) : [];
  const current = steps.find(({ isCurrent }) => isCurrent);
  const stepRemoval =
    current &&
    (await useForm(page, stepNotApplicableForm, {
      submit: async ({ reason }) => {
        await setStepNotApplicable(actor, taskId, current.number, reason);
        return { to: pathOf({ step: current.key }) };
      },
    }));
  if (stepRemoval instanceof Response) return stepRemoval;
  const firm = await firmOf(row.company_id);
  const saved = steps.find(({ key }) => key === page.url.searchParams.get(SAVED));
  const findings =
    form && isPending(row.status) && !current ? await taskFindings(row, form, filled, lang) : [];
  const returned = form && (await returnedItems(row, form, lang));
  return {
    sent,
    here: pathOf(),
    task: {
      id: taskId,
      type: row.type,
      title: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
      status: row.status,
      dueOn: row.due_on,
      expiresOn: row.expires_on,
      isOverdue:
        row.due_on !== null && isPending(row.status) && row.due_on < (await firmToday(row.company_id)),
      isExpired: facts.isExpired,
      reason: textAnswer(stored, '#not-apply'),
      returned: isPending(row.status) ? await returnMessage(row) : undefined,
      submittedAt: row.submitted_at,
    },
    firm: firm.name,
    possible,
    steps,
    current,
    isCheck: isPending(row.status) && !current,
    stepForm:
      form && current && isPending(row.status)
        ? await stepForm(page, row, form, { step: current, steps, filled, returned, firm: firm.name, pathOf })
        : undefined,
    returnedItems: (returned?.items ?? []).map((item) => ({
      ...item,
      href: pathOf({ step: item.section }),
    })),
    kept: form && isPending(row.status) ? await keptAnswers(lang, taskId, form, answers) : [],
    stepReason: current ? textAnswer(stored, `${current.number}#not-apply`) : '',
    stepRemoval,
    removal,
    sections: form && !current ? await shownSections(form, answers) : [],
    files: isPending(row.status) ? undefined : await submissionHrefs(actor, row, lang),
    findings: findings.filter(({ severity }) => severity !== 'blocks'),
    /** Whether the rules keep the task from being submitted. */
    isPrevented: findings.some(prevents),
    problems: form && !current ? openProblems(form) : [],
    /** The step before, which was just saved. */
    saved:
      form && saved && saved !== current
        ? {
            title: saved.title,
            problems: current
              ? openProblems(form).filter(({ path }) => path.split('.')[0] === saved.key)
              : [],
          }
        : undefined,
  };

  function openProblems(asked: Template) {
    return [
      ...submissionProblems(asked, answers, notApplicable).map((problem) => ({
        path: problem.path,
        text: problemOfQuestion(asked, problem, lang),
      })),
      ...findings.filter(({ severity }) => severity === 'blocks'),
    ].map(({ path, text }) => ({
      path,
      text,
      href: pathOf({ step: path.split('.')[0], check: 'submit' }),
    }));
  }

  /** Of a task that does not apply, what was not answered says nothing. */
  async function shownSections(asked: Template, given: Answers) {
    const sections = await shownAnswers(actor, lang, asked, given);
    return row.status === 'Cancelled' ? withAnswers(sections) : sections;
  }

  async function promise(path: string, by: string | undefined): Promise<Destination> {
    const to = pathOf({ step: path.split('.')[0] });
    try {
      await promiseItem(actor, taskId, path, by);
    } catch (error) {
      if (refusal(error)?.code !== 'INVALID') throw error;
      return { to, flash: { type: 'danger', namespace: 'task-answers', key: 'notYetWrong' } };
    }
    const key = by === undefined ? 'notYetWithdrawn' : 'notYetSaved';
    return { to, flash: { type: 'success', namespace: 'task-answers', key } };
  }

  async function choose(keptId: string, isKept: boolean): Promise<Destination> {
    await chooseAnswer(actor, taskId, keptId, isKept);
    return { to: pathOf({ step: page.url.searchParams.get('step') ?? undefined }) };
  }

  /** To the next task to do (spec 2 section 4), or to this one if it was the last: its page says first what was sent. */
  async function toNext(): Promise<Destination> {
    const current = { taskId, groupId: row.group_id, clientId };
    const next = await taskAfter(actor, current, { isGroupList: !hasTaskMenu(actor) });
    return {
      to: next
        ? pathTo(`tasks/clients/${next.clientId}/task/${next.taskId}`, {
            client: next.clientId,
            sent: taskId,
          })
        : pathOf({ sent: taskId }),
    };
  }
}

/** A refused action shows the page again, with the state that the task has now. */
function refusedAction(
  { code }: PortalError,
  pathOf: (query?: Record<string, string>) => string,
): Destination | undefined {
  const keys = {
    CLOSED: 'refusedClosed',
    EXPIRED: 'refusedExpired',
    OPENED: 'refusedOpened',
    EDIT_CONFLICT: 'refusedChanged',
    INCOMPLETE: 'refusedIncomplete',
    LOCKED: 'refusedAccepted',
  } as const;
  const key = code in keys ? keys[code as keyof typeof keys] : undefined;
  return key && { to: pathOf({ step: CHECK }), flash: { type: 'danger', namespace: 'tasks', key } };
}

/** The steps that apply. The open one is that of the address, else the first that is not settled. */
function stepsOf(
  page: Page,
  row: TaskRow,
  form: Template,
  {
    answers,
    notApplicable,
    pathOf,
  }: {
    answers: Answers;
    notApplicable: ReadonlySet<string>;
    pathOf: (query: Record<string, string>) => string;
  },
): StepLink[] {
  const steps = progressOf(form, answers).map(({ key, isSettled, isOptional }) => {
    const number = form.sections.findIndex((section) => section.key === key) + 1;
    const section = form.sections[number - 1];
    return {
      number,
      key,
      title: section ? textIn(section.label, page.locals.lang, form) : '',
      isSettled: isSettled || notApplicable.has(key),
      isOptional: isOptional && !notApplicable.has(key),
      isNotApplicable: notApplicable.has(key),
      href: pathOf({ step: key }),
    };
  });
  const wanted = page.url.searchParams.get('step');
  const open = isPending(row.status)
    ? wanted === CHECK
      ? undefined
      : (steps.find(({ key }) => key === wanted) ?? steps.find(({ isSettled }) => !isSettled))
    : undefined;
  return steps.map((step) => ({ ...step, isCurrent: step === open }));
}

/** What the editor of a step shows: its questions, a comment, and hidden what the server needs to save it. */
async function stepForm(
  page: Page,
  row: TaskRow,
  form: Template,
  {
    step,
    steps,
    filled: { answers, versions, stored },
    returned,
    firm,
    pathOf,
  }: {
    step: StepLink;
    steps: readonly StepLink[];
    filled: TaskAnswers;
    returned: Awaited<ReturnType<typeof returnedItems>>;
    /** The name of the firm. */
    firm: string;
    pathOf: (query: Record<string, string>) => string;
  },
) {
  const { lang, session } = page.locals;
  const address = `/api/client-center/v3/tasks/${row.task_id}`;
  const t = translationsFor(lang, 'tasks');
  const visible = visibleSections(form, answers).find(({ section }) => section.key === step.key);
  const check = page.url.searchParams.get('check');
  const problems = visible ? sectionProblems(visible, check === 'submit' ? 'submit' : 'typing') : [];
  const number = `${step.number}#comment`;
  const section = form.sections.find(({ key }) => key === step.key);
  const today = await firmToday(row.company_id);
  const last = (await lastYearOf(row, form)) ?? {};
  const context = { companyId: row.company_id, clientId: row.client_id, lang };
  const asked = editorSection(form, step.key, {
    answers,
    lang,
    problems,
    newRowId,
    lastYear: last,
    lookupAddress: (list) => `${address}/lookups/${list}?language=${lang}`,
    offered: await offeredEntries(context, form, step.key, answers),
  });
  const lastDocuments = await documentsOfLastYear(session.actor, form, last);
  const editor = asked && withReturnedItems(asked, returned, { lang, form, answers, firm });
  const files = new Map(
    Object.entries(answers).flatMap(([path, value]) =>
      path.startsWith(`${step.key}.`) && Array.isArray(value) ? [[path, value] as const] : [],
    ),
  );
  const documents = await documentsOfAnswers(session.actor, [...files.values()].flat());
  const next = steps[steps.indexOf(step) + 1];
  return {
    lead: section?.lead ? textIn(section.lead, lang, form) : '',
    slots: fileFields(editor?.items ?? []),
    editor: editor && {
      ownerId: row.task_id,
      calls: { answers: `${address}/answers`, section: `${address}/sections/${step.key}` },
      formId: 'step',
      lang,
      locale: LANGUAGES[lang],
      action: `${address}/sections/${step.key}?upload=${newId('form')}&r=${encodeURIComponent(pathOf({ step: step.key, check: 'typing' }))}`,
      page: pathOf({ step: step.key }),
      section: editor,
      comment: {
        path: number,
        field: {
          kind: 'textarea' as const,
          name: COMMENT,
          label: t('comment'),
          hint: t('commentHint'),
          optional: translationsFor(lang, 'common')('optional'),
          rows: 2,
          maxlength: MAX_COMMENT,
          value: textAnswer(stored, number),
        },
      },
      isViewing: session.viewing !== undefined,
      viewingText: translationsFor(lang, 'shell')('viewingReadOnly', { name: session.actor.fullName }),
      hidden: { lang, next: pathOf({ step: next?.key ?? CHECK, [SAVED]: step.key }) },
      versions: { ...Object.fromEntries(versions), [number]: stored.get(number)?.version ?? 0 },
      submit: t(next ? 'saveContinue' : 'saveCheck'),
      problemTitle: t('stepProblems'),
      problems: problems.map((problem) => ({
        field: problem.path,
        text: problemOfQuestion(form, problem, lang),
      })),
      words: messagesOf(lang, 'answer-editor', editorWords),
      ownerWords: messagesOf(lang, 'tasks', ownerWords),
      problemWords: messagesOf(lang, 'questionnaires', problemWords),
      sharedWords: messagesOf(lang, 'inputs', sharedProblemWords),
      fileWords: messagesOf(lang, 'documents', fileWords),
    },
    offered: offeredAnswers(form, step.key, { answers, last, lang }),
    promiseAt: (path: string) => {
      const question = questionAt(form, path);
      if (question?.kind !== 'files' || !question.notYet) return undefined;
      const value = answers[path];
      const isPromised = typeof value === 'object' && 'notYet' in value;
      return { by: isPromised ? value.by : undefined, today };
    },
    lastFilesAt: (path: string) => lastDocuments.get(path) ?? [],
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
