import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Answers, AnswerValue, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt, textIn } from '#features/tasks/questionnaires/rules.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { lockTask, taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { inTransaction, isUniqueViolation } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import {
  linksOfTask,
  lockProposal,
  proposedBy,
  writeDecision,
  type Proposed,
} from './internal/store.server.ts';
import { note } from './links.server.ts';
import { acceptFiles, bytesOfFile, deleteFiles, filesOfLink, type SentFile } from './sent-files.server.ts';

/** An answer that somebody proposes: a question, or a group with all its rows. */
interface ProposedAnswer {
  key: string;
  label: string;
  current: string;
  proposed: string;
  /** Files that wait for the decision. */
  files: { id: string; name: string; size: number; isInfected: boolean }[];
}

export interface Proposal {
  linkId: string;
  person: string;
  sentAt: number;
  count: number;
  /** Empty for staff who view as the contact: they see it once it is accepted. */
  answers: ProposedAnswer[];
}

/** What others sent about a task and nobody has decided; the newest first. NOT_FOUND. */
export async function openProposals(actor: Actor, taskId: string, lang: Lang): Promise<Proposal[]> {
  const row = await taskRow(actor, taskId);
  const links = (await linksOfTask(taskId)).filter(
    (link) => link.sent_at !== null && link.decided_at === null,
  );
  const form = await formOfTask(row);
  if (!form || links.length === 0) return [];
  const { answers } = await questionAnswers(taskId);
  return Promise.all(
    links.map(async (link) => {
      const proposed = await proposedBy(link.link_id);
      const files = await filesOfLink(link.link_id);
      const all = shown(form, { proposed, files, answers, lang });
      return {
        linkId: link.link_id,
        person: link.person,
        sentAt: link.sent_at ?? 0,
        count: all.length,
        answers: actor.viewedBy === undefined ? all : [],
      };
    }),
  );
}

/** The question of an answer, or the group that it is in: a group is taken as a whole. */
const keyOf = (path: string): string =>
  path
    .replace(/#order$/, '')
    .split('.')
    .slice(0, 2)
    .join('.');

function shown(
  form: Template,
  {
    proposed,
    files,
    answers,
    lang,
  }: { proposed: Proposed; files: readonly SentFile[]; answers: Answers; lang: Lang },
): ProposedAnswer[] {
  const text = (path: string, value: AnswerValue | null | undefined): string => {
    const question = questionAt(form, path);
    return question ? displayValue(question, value ?? undefined, { lang, template: form }) : '';
  };
  const found: ProposedAnswer[] = [];
  for (const [key, paths] of Map.groupBy(Object.keys(proposed), keyOf)) {
    const [section, name] = key.split('.');
    const item = form.sections.find((each) => each.key === section)?.items.find((each) => each.key === name);
    if (!item) continue;
    const questions = paths.filter((path) => !path.endsWith('#order'));
    const join = (texts: string[]): string => texts.filter((each) => each !== '').join(' · ');
    found.push({
      key,
      label: textIn(item.label, lang, form),
      current: join(
        Object.keys(answers)
          .filter((path) => keyOf(path) === key)
          .map((path) => text(path, answers[path])),
      ),
      proposed: join(questions.map((path) => text(path, proposed[path]))),
      files: files
        .filter((file) => keyOf(file.path) === key)
        .map((file) => ({
          id: file.file_id,
          name: file.name,
          size: file.size,
          isInfected: file.scan === 'infected',
        })),
    });
  }
  return found;
}

/**
 * A file that waits for the decision of the actor, to send it. NOT_FOUND for everybody but the contacts of the task, also
 * for staff who view as them; INFECTED.
 */
export async function proposedFile(actor: Actor, taskId: string, fileId: string) {
  await taskRow(actor, taskId);
  if (actor.staff || actor.viewedBy !== undefined) throw notFound();
  const links = (await linksOfTask(taskId)).filter((link) => link.sent_at !== null);
  for (const { link_id: linkId } of links) {
    const file = (await filesOfLink(linkId)).find((each) => each.file_id === fileId);
    if (file) return bytesOfFile(file);
  }
  throw notFound();
}

const MAX_TRIES = 100;

/**
 * Takes the chosen answers of a proposal, by the keys of {@link openProposals}, into the task; with none of them it is
 * declined. Files that are taken become documents of the client, sent by the person of the link; all others are deleted.
 * NOT_FOUND, CLOSED, LOCKED for an item that was not returned; GONE if it was decided before.
 */
export async function decideProposal(
  actor: Actor,
  taskId: string,
  linkId: string,
  keys: readonly string[],
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(() => decide(actor, taskId, linkId, keys));
    } catch (error) {
      if (tries === MAX_TRIES || !isUniqueViolation(error)) throw error; // a name was taken meanwhile: again
    }
  }
}

async function decide(actor: Actor, taskId: string, linkId: string, keys: readonly string[]): Promise<void> {
  const current = await actorNow(actor);
  if (current.staff || current.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  const row = await lockTask(current, taskId);
  const link = (await linksOfTask(taskId)).find((each) => each.link_id === linkId);
  if (!link) throw notFound();
  const { content, isSent, isDecided } = await lockProposal(linkId);
  if (!isSent) throw notFound();
  if (isDecided) throw new PortalError('GONE');
  const form = await formOfTask(row);
  const { answers } = await questionAnswers(taskId);
  const taken = Object.entries(content).filter(([path]) => keys.includes(keyOf(path)));
  const waiting = await filesOfLink(linkId);
  const documents = await acceptFiles(
    current,
    row,
    link,
    waiting.filter(({ path }) => keys.includes(keyOf(path))),
  );
  const changes = taken.map(([path, value]) => {
    const added = Array.isArray(value) ? value.map((id) => documents.get(id) ?? id) : value;
    return { path, value: isAdded(form, path) ? withAdded(answers[path], added) : added };
  });
  await saveAnswers(current, taskId, changes);
  await deleteFiles([linkId]);
  const all = new Set(Object.keys(content).map(keyOf)).size;
  const chosen = new Set(taken.map(([path]) => keyOf(path))).size;
  const decision = chosen === 0 ? 'declined' : chosen === all ? 'taken' : 'part';
  await writeDecision(linkId, decision, current.contactId);
  await note(row, current.contactId, 'task-link.decide', { link: linkId, decision, answers: chosen });
}

/** Files and rows are added to those that are there, which the person may not have seen. */
const isAdded = (form: Template | undefined, path: string): boolean =>
  path.endsWith('#order') || (form !== undefined && questionAt(form, path)?.kind === 'files');

const withAdded = (before: AnswerValue | undefined, added: AnswerValue | null): AnswerValue | null =>
  Array.isArray(added) ? [...new Set([...(Array.isArray(before) ? before : []), ...added])] : added;
