import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { fieldViews } from '#features/tasks/questionnaires/fields.server.ts';
import { offeredEntries, withEntries } from '#features/tasks/questionnaires/lookups.server.ts';
import { newRowId, postedAnswers } from '#features/tasks/questionnaires/posted-answers.server.ts';
import { problemText } from '#features/tasks/questionnaires/problem-texts.server.ts';
import type { Answers, AnswerValue, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt, textIn, type Problem } from '#features/tasks/questionnaires/rules.ts';
import {
  addToAnswer,
  filesQuestion,
  uploadToTask,
  type TaskFile,
} from '#features/tasks/task-answers/files.server.ts';
import type { UploadId } from '#features/tasks/task-answers/repeated-uploads.server.ts';
import { assertPossible } from '#features/tasks/tasks/acting.server.ts';
import { itemLockOf } from '#features/tasks/tasks/item-lock.server.ts';
import { isLocked } from '#features/tasks/tasks/items.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { factsOf, taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { consume, consumeForNetwork, startOnce } from '#platform/security/limits.server.ts';
import { recordDone, recordLinkOpened } from '#platform/mail/mail-log.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import {
  addVisit,
  hasVisited,
  isOver,
  linkByToken,
  lockProposal,
  noteOpened,
  proposedBy,
  takeTry,
  triesOf,
  writeProposal,
  type Link,
  type Proposed,
} from './internal/store.server.ts';
import { note } from './links.server.ts';
import { answeredMail } from './mails.server.ts';
import { filesOfLink, insertFile, isStored, receiveFile, type SentFile } from './sent-files.server.ts';

const CODE = { pauseAfter: 5, pause: 15 * MINUTE, most: 10 };
const VISIT = 12 * HOUR;
/** Files that come by one link in a day. */
const MAX_FILES = 100;

/** A link that works: who made it, and the task and its questions as that contact may see them now. */
interface Live {
  link: Link;
  maker: Actor;
  firm: Firm;
  row: TaskRow;
  form: Template;
}

/** What a link shows to who has it: before its code is entered only the firm, as whoever gets the email may not be its person. */
export type LinkView =
  | { kind: 'unknown' }
  | { kind: 'over' | 'sent'; firm: Firm; maker: string | undefined }
  | { kind: 'closed'; firm: Firm; expiresAt: number }
  | {
      kind: 'open' | 'phone';
      firm: Firm;
      maker: string;
      task: string;
      section: string;
      /** For the question of a phone. */
      question: string;
      path: string;
      expiresAt: number;
    };

/** Shows a link. That changes nothing: mail scanners open links, too. */
export async function viewTaskLink(token: string, visits: string | undefined, lang: Lang): Promise<LinkView> {
  const link = await linkByToken(token);
  if (!link) return { kind: 'unknown' };
  const [maker, firm] = [await actorOf(link.made_by), await firmOf(link.company_id)];
  const isMine = await hasVisited(link.link_id, visits);
  const common = { firm, maker: isMine ? maker.fullName : undefined };
  if (link.sent_at !== null) return { kind: 'sent', ...common };
  const live = await liveLink(link);
  if (!live || (link.purpose === 'phone' && link.opened_at !== null && !isMine))
    return { kind: 'over', ...common };
  if (link.purpose === 'answer' && !isMine) return { kind: 'closed', firm, expiresAt: link.expires_at };
  const { row, form } = live;
  const section = form.sections.find(({ key }) => key === link.section);
  const question = questionAt(form, link.path);
  return {
    kind: link.purpose === 'phone' ? 'phone' : 'open',
    firm,
    maker: maker.fullName,
    task: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
    // a task of one step is named by its title (spec 2, section 2)
    section: section && form.sections.length > 1 ? textIn(section.label, lang, form) : '',
    question: question ? textIn(question.label, lang, form) : '',
    path: link.path,
    expiresAt: link.expires_at,
  };
}

/**
 * Opens a link with its code, and returns the value of the cookie that answering requires. NOT_FOUND; GONE if it has
 * ended; CODE_WRONG with `triesLeft`; TOO_MANY during the pause after five wrong codes, and for good after ten.
 */
export async function openTaskLink(token: string, code: string, network: string): Promise<string> {
  await consumeForNetwork('task-link', network, 30, MINUTE);
  const link = await linkByToken(token);
  if (!link || link.purpose !== 'answer') throw notFound();
  const live = await liveLink(link);
  if (!live) throw new PortalError('GONE');
  await checkCode(live, code).catch(async (error: unknown) => {
    const result = refusal(error)?.code ?? 'INTERNAL';
    if (result !== 'TOO_MANY' || (await startOnce(`task-link-refused:${link.link_id}`, CODE.pause)))
      await note(live.row, link.link_id, 'task-link.refuse', { result });
    throw error;
  });
  return inTransaction(async () => {
    if (await noteOpened(link.link_id)) await recordLinkOpened(link.link_id);
    await note(live.row, link.link_id, 'task-link.open', {});
    return addVisit(link.link_id, VISIT);
  });
}

async function checkCode({ link }: Live, code: string): Promise<void> {
  const tries = await takeTry(link.link_id, CODE);
  if (tries === undefined) {
    const { code_tries: used, code_paused_until: until } = await triesOf(link.link_id);
    throw new PortalError('TOO_MANY', {
      asleep: used >= CODE.most,
      minutes: Math.max(1, Math.ceil(((until ?? 0) - now()) / MINUTE)),
    });
  }
  if (await secretMatches(code.trim(), link.code_hash)) return;
  throw new PortalError('CODE_WRONG', { triesLeft: CODE.pauseAfter - 1 - ((tries - 1) % CODE.pauseAfter) });
}

/** The questions of the link's step as fields, with what its person has answered. NOT_FOUND before it is opened. */
export async function linkFields(
  token: string,
  visits: string | undefined,
  lang: Lang,
): Promise<{ fields: FieldView[]; lead: string }> {
  const live = await openedLink(token, visits);
  const { link, form, row } = live;
  const proposed = await proposedBy(link.link_id);
  const answers = await answersFor(live, proposed);
  const lock = await itemLockOf(row, form);
  const sent = fileNames(await filesOfLink(link.link_id));
  const section = form.sections.find(({ key }) => key === link.section);
  const context = { companyId: row.company_id, clientId: row.client_id, lang };
  const offered = await offeredEntries(context, form, link.section, answers);
  const fields = fieldViews(form, link.section, { answers, lang, offered, newRowId })
    .filter(({ name }) => !lock || !isLocked(lock, name.replace(/#(none|entry|words)$/, '')))
    .map((field) => withFiles(field, sent));
  return { fields, lead: section?.lead ? textIn(section.lead, lang, form) : '' };
}

/** The names of files by the path of their question. */
const fileNames = (files: readonly SentFile[]): ReadonlyMap<string, string> =>
  new Map(
    [...Map.groupBy(files, ({ path }) => path)].map(([path, own]) => [
      path,
      own.map(({ name }) => name).join(', '),
    ]),
  );

/** A question for files names those that were sent; it never shows those of the client. */
const withFiles = (field: FieldView, sent: ReadonlyMap<string, string>): FieldView => {
  if (field.kind === 'group')
    return { ...field, rows: field.rows.map((row) => row.map((each) => withFiles(each, sent))) };
  const names = field.kind === 'slot' ? sent.get(field.name) : undefined;
  return names ? { ...field, hint: [field.hint, names].filter(Boolean).join(' ') } : field;
};

/**
 * The answers that decide which questions apply, with what the person has entered. Of the step itself the client's
 * answers are there only if the contact shows them.
 */
async function answersFor({ link, row }: Live, proposed: Proposed): Promise<Answers> {
  const { answers } = await questionAnswers(row.task_id);
  const own = Object.entries(answers).filter(
    ([path]) => link.shows_answers === 1 || path.split('.')[0] !== link.section,
  );
  return Object.fromEntries(
    [...own, ...Object.entries(proposed)].filter(([, value]) => value !== null),
  ) as Record<string, AnswerValue>;
}

/**
 * Saves what the person of a link entered, and with `isSent` sends it to the contact unless something is wrong. Returns
 * the problems. NOT_FOUND before the link is opened, GONE if it has ended, EMPTY if there is nothing to send.
 */
export async function saveLinkAnswers(
  token: string,
  visits: string | undefined,
  { posted, isSent, lang }: { posted: FormData; isSent: boolean; lang: Lang },
): Promise<{ problems: { path: string; text: string }[] }> {
  const live = await openedLink(token, visits);
  const { link, form, maker, firm, row } = live;
  return inTransaction(async () => {
    const content = await lockOpened(token, link.link_id);
    const answers = await answersFor(live, content);
    const context = { companyId: row.company_id, clientId: row.client_id, lang };
    const typed = postedAnswers(form, { section: link.section, form: posted, answers, lang });
    const read = await withEntries(context, form, typed);
    const proposed: Proposed = {
      ...content,
      ...Object.fromEntries(read.changes.map(({ path, value }) => [path, value])),
    };
    const finish = isSent && read.problems.length === 0;
    if (finish && Object.keys(proposed).length === 0) throw new PortalError('EMPTY');
    await writeProposal(link.link_id, proposed, finish);
    if (finish) {
      const count = Object.keys(proposed).filter((path) => !path.endsWith('#order')).length;
      await recordDone([link.link_id]);
      await note(row, link.link_id, 'task-link.answer', { answers: count });
      const title = (language: Lang): string => taskTitle(language, { ...row, taxYear: row.tax_year }, form);
      await queueMail(
        answeredMail({
          reader: maker,
          firm,
          person: link.person,
          count,
          taskId: row.task_id,
          clientId: row.client_id,
          title,
        }),
        `answered-${link.link_id}`,
      );
    }
    return { problems: read.problems.map((problem) => textOf(problem, lang)) };
  });
}

const textOf = ({ path, ...problem }: Problem, lang: Lang) => ({ path, text: problemText(problem, lang) });

/**
 * Adds a file that the person of a link sent: to what they propose, where only the contact sees it, or from the contact's
 * own phone to the answer itself, as the contact.
 * Throws as an upload does; NOT_FOUND before the link is opened, or for a question of another step; GONE if it has
 * ended; TOO_MANY_FILES beyond the limit of the question.
 */
export async function addLinkFile(
  token: string,
  visits: string | undefined,
  path: string,
  file: TaskFile,
): Promise<void> {
  const live = await openedLink(token, visits);
  const { link, form, maker, row } = live;
  const question = questionAt(form, path);
  const isAsked = link.purpose === 'phone' ? path === link.path : path.split('.')[0] === link.section;
  if (!isAsked || question?.kind !== 'files') throw notFound();
  await consume(`task-link-files:${link.link_id}`, MAX_FILES, 24 * HOUR);
  if (link.purpose === 'phone') {
    const attach = async (documentId: string, upload: UploadId): Promise<void> => {
      await addToAnswer(maker, upload, documentId);
      // after the task, which is locked before its links everywhere
      await lockOpened(token, link.link_id);
      await note(row, link.link_id, 'task-link.file', { document: documentId });
    };
    await uploadToTask(maker, row.task_id, path, file, attach);
    return;
  }
  await assertPossible(maker, row, 'save');
  await filesQuestion(row, path);
  await receiveFile(link, path, file, async (received) => {
    const content = await lockOpened(token, link.link_id);
    if (await isStored(link, received)) return false;
    const files = content[path];
    const before = Array.isArray(files) ? files : [];
    if (before.length >= question.max) throw new PortalError('TOO_MANY_FILES', { max: question.max });
    await insertFile(link, path, received);
    await writeProposal(link.link_id, { ...content, [path]: [...before, received.fileId] }, false);
    await note(row, link.link_id, 'task-link.file', {}); // staff read the log: it names no file before it is accepted
    return true;
  });
}

/**
 * Lets the first browser that sends something use a phone's link, and returns the value of its cookie; undefined if this
 * browser has one. NOT_FOUND; GONE for any other browser, and when it has ended.
 */
export async function claimPhone(
  token: string,
  visits: string | undefined,
  network: string,
): Promise<string | undefined> {
  const link = await linkByToken(token);
  if (!link) throw notFound();
  await consumeForNetwork('task-link', network, 60, MINUTE);
  if (link.purpose !== 'phone' || (await hasVisited(link.link_id, visits))) return undefined;
  const live = await liveLink(link);
  if (!live) throw new PortalError('GONE');
  return inTransaction(async () => {
    if (!(await noteOpened(link.link_id))) throw new PortalError('GONE');
    await note(live.row, link.link_id, 'task-link.open', {});
    return addVisit(link.link_id, Math.max(MINUTE, link.expires_at - now()));
  });
}

async function openedLink(token: string, visits: string | undefined): Promise<Live> {
  const link = await linkByToken(token);
  if (!link || !(await hasVisited(link.link_id, visits))) throw notFound();
  return stillOpen(link);
}

/**
 * Locks a link until the end of the transaction, and returns what was proposed by it. GONE if it has ended since it was
 * opened: receiving a file may take long.
 */
async function lockOpened(token: string, linkId: string): Promise<Proposed> {
  const { content } = await lockProposal(linkId);
  const link = await linkByToken(token);
  if (!link) throw notFound();
  await stillOpen(link);
  return content;
}

async function stillOpen(link: Link): Promise<Live> {
  const live = await liveLink(link);
  if (!live || link.sent_at !== null) throw new PortalError('GONE');
  return live;
}

/**
 * The link with its task, unless it has ended: revoked, expired, the task is not open, or the contact who made it may no
 * longer enter or see the task.
 */
async function liveLink(link: Link): Promise<Live | undefined> {
  if (isOver(link)) return undefined;
  const maker = await actorOf(link.made_by);
  if (maker.firmLocked || !canAccessPortal(maker)) return undefined;
  try {
    const row = await taskRow(maker, link.task_id);
    const form = await formOfTask(row);
    if (!form || !isPending(row.status) || (await factsOf(row)).isExpired) return undefined;
    return { link, maker, firm: await firmOf(row.company_id), row, form };
  } catch (error) {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
