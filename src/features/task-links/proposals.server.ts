import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { displayValue } from '#features/questionnaires/display.server.ts';
import type { Answers, AnswerValue, Template } from '#features/questionnaires/questionnaires.ts';
import { questionAt, textIn } from '#features/questionnaires/rules.ts';
import { saveAnswers } from '#features/tasks/answering.server.ts';
import { documentsOfAnswers } from '#features/tasks/documents-of-answers.server.ts';
import { lockTask, taskRow } from '#features/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/task-forms.server.ts';
import { inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import type { Lang } from '#platform/languages.ts';
import {
  linksOfTask,
  lockProposal,
  proposedBy,
  writeDecision,
  type Proposed,
} from './internal/store.server.ts';
import { note } from './links.server.ts';

/** An answer that somebody proposes: a question, or a group with all its rows. */
interface ProposedAnswer {
  key: string;
  label: string;
  current: string;
  proposed: string;
  documents: { id: string; name: string; size: number }[];
}

export interface Proposal {
  linkId: string;
  person: string;
  sentAt: number;
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
    links.map(async (link) => ({
      linkId: link.link_id,
      person: link.person,
      sentAt: link.sent_at ?? 0,
      answers: await shown(actor, form, { proposed: await proposedBy(link.link_id), answers, lang }),
    })),
  );
}

/** The question of an answer, or the group that it is in: a group is taken as a whole. */
const keyOf = (path: string): string =>
  path
    .replace(/#order$/, '')
    .split('.')
    .slice(0, 2)
    .join('.');

async function shown(
  actor: Actor,
  form: Template,
  { proposed, answers, lang }: { proposed: Proposed; answers: Answers; lang: Lang },
): Promise<ProposedAnswer[]> {
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
    const ids = questions.flatMap((path) => {
      const value = proposed[path];
      return questionAt(form, path)?.kind === 'files' && Array.isArray(value) ? value : [];
    });
    const documents = await documentsOfAnswers(actor, ids);
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
      documents: [...documents.values()],
    });
  }
  return found;
}

/**
 * Takes the chosen answers of a proposal, by the keys of {@link openProposals}, into the task; with none of them it is
 * declined. Files that are not taken stay in the client's documents. NOT_FOUND, CLOSED, LOCKED for an item that was not
 * returned; GONE if it was decided before.
 */
export async function decideProposal(
  actor: Actor,
  taskId: string,
  linkId: string,
  keys: readonly string[],
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (current.staff || current.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
    const row = await lockTask(current, taskId);
    if (!(await linksOfTask(taskId)).some((link) => link.link_id === linkId)) throw notFound();
    const { content, isSent, isDecided } = await lockProposal(linkId);
    if (!isSent) throw notFound();
    if (isDecided) throw new PortalError('GONE');
    const form = await formOfTask(row);
    const { answers } = await questionAnswers(taskId);
    const taken = Object.entries(content).filter(([path]) => keys.includes(keyOf(path)));
    const changes = taken.map(([path, value]) => ({
      path,
      value: isAdded(form, path) ? withAdded(answers[path], value) : value,
    }));
    await saveAnswers(current, taskId, changes);
    const all = new Set(Object.keys(content).map(keyOf)).size;
    const chosen = new Set(taken.map(([path]) => keyOf(path))).size;
    const decision = chosen === 0 ? 'declined' : chosen === all ? 'taken' : 'part';
    await writeDecision(linkId, decision, current.contactId);
    await note(row, current.contactId, 'task-link.decide', { link: linkId, decision, answers: chosen });
  });
}

/** Files and rows are added to those that are there, which the person may not have seen. */
const isAdded = (form: Template | undefined, path: string): boolean =>
  path.endsWith('#order') || (form !== undefined && questionAt(form, path)?.kind === 'files');

const withAdded = (before: AnswerValue | undefined, added: AnswerValue | null): AnswerValue | null =>
  Array.isArray(added) ? [...new Set([...(Array.isArray(before) ? before : []), ...added])] : added;
