import { randomInt } from 'node:crypto';
import type { Session } from '#features/base/people/people.ts';
import { textIn, visibleSections } from '#features/tasks/questionnaires/rules.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { askForm } from './forms.server.ts';
import { askSomeone, peopleAsked, revokeTaskLink } from './links.server.ts';
import { decideProposal, openProposals } from './proposals.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/**
 * Asking somebody else about a task: whom, which of its steps, who was asked, and what they answered. NOT_FOUND; staff
 * are led to their page of the task.
 */
export async function askPage(page: Page, clientId: string, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId);
  const form = await formOfTask(row);
  if (row.client_id !== clientId || !form) throw notFound();
  if (actor.staff) return redirectTo(pathTo(`staff/tasks/${taskId}`));
  const task = `tasks/clients/${clientId}/task/${taskId}`;
  const here = pathTo(`${task}/ask`);
  const decide = async (linkId: string, keys: readonly string[]): Promise<Destination> => {
    await decideProposal(actor, taskId, linkId, keys);
    const key = keys.length === 0 ? 'didDecline' : 'didTake';
    return { to: here, flash: { type: 'success', namespace: 'task-links', key } };
  };
  const done = await useActions(
    page,
    {
      revoke: async (linkId) => {
        await revokeTaskLink(actor, taskId, linkId);
        return { to: here, flash: { type: 'success', namespace: 'task-links', key: 'didRevoke' } };
      },
      take: (linkId, posted) => decide(linkId, posted.getAll('answer').map(String)),
      decline: (linkId) => decide(linkId, []),
    },
    ({ code }) => {
      const key = code === 'LOCKED' ? 'refusedLocked' : 'refusedClosed';
      return ['CLOSED', 'EXPIRED', 'GONE', 'LOCKED'].includes(code)
        ? { to: here, flash: { type: 'danger', namespace: 'task-links', key } }
        : undefined;
    },
  );
  if (done) return done;
  const { answers } = await questionAnswers(taskId);
  const sections = visibleSections(form, answers).map(({ section }) => ({
    value: section.key,
    text: textIn(section.label, lang, form),
  }));
  const wanted = page.url.searchParams.get('step');
  const asking = await useForm(page, askForm, {
    values: {
      section: sections.find(({ value }) => value === wanted)?.value ?? sections[0]?.value ?? '',
      code: newCode(),
      days: '7',
    },
    choices: { section: sections },
    submit: async ({ days, ...values }) => {
      await askSomeone(actor, taskId, { ...values, days: Number(days) }, lang);
      return {
        to: here,
        flash: { type: 'success', namespace: 'task-links', key: 'didAsk', vars: { person: values.person } },
      };
    },
  });
  if (asking instanceof Response) return asking;
  return {
    title: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
    taskHref: pathTo(task, { step: wanted ?? undefined }),
    asking: isPending(row.status) ? asking : undefined,
    isPending: isPending(row.status),
    people: (await peopleAsked(actor, taskId)).map((person) => ({
      ...person,
      step: sections.find(({ value }) => value === person.section)?.text ?? '',
    })),
    proposals: await openProposals(actor, taskId, lang),
  };
}

/** Without letters and digits that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A code that is easy to tell by phone. */
const newCode = (): string => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
