import type { Session } from '#features/base/people/people.ts';
import { questionAt, textIn } from '#features/tasks/questionnaires/rules.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { linkByToken, isOver } from './internal/store.server.ts';
import { linkAddress, startPhone } from './links.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/**
 * The phone as a scanner for one question: a QR code for ten minutes, and the files that have arrived. The token is in a
 * cookie of this browser, because the server stores only its hash. NOT_FOUND.
 */
export async function phonePage(page: Page, clientId: string, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId);
  const form = await formOfTask(row);
  const path = page.url.searchParams.get('path') ?? '';
  const question = form && questionAt(form, path);
  if (row.client_id !== clientId || !form || question?.kind !== 'files') throw notFound();
  if (actor.staff) return redirectTo(pathTo(`staff/tasks/${taskId}`));
  const task = `tasks/clients/${clientId}/task/${taskId}`;
  const here = pathTo(`${task}/phone`, { path });
  const done = await useActions(
    page,
    {
      start: async () => {
        const { token } = await startPhone(actor, taskId, path);
        return { to: here, cookies: [setCookie('phone', token, 600)] };
      },
    },
    ({ code }) =>
      ['CLOSED', 'EXPIRED', 'TOO_MANY'].includes(code)
        ? {
            to: here,
            flash: {
              type: 'danger',
              namespace: 'task-links',
              key: code === 'TOO_MANY' ? 'refusedTooMany' : 'refusedClosed',
            },
          }
        : undefined,
  );
  if (done) return done;
  const token = readCookie(page.request.headers.get('cookie'), 'phone') ?? '';
  const link = token === '' ? undefined : await linkByToken(token);
  const isLive =
    link?.made_by === actor.contactId && link.task_id === taskId && link.path === path && !isOver(link);
  const { answers } = await questionAnswers(taskId);
  const files = answers[path];
  const ids = Array.isArray(files) ? files : [];
  const documents = await documentsOfAnswers(actor, ids);
  return {
    question: textIn(question.label, lang, form),
    taskHref: pathTo(task, { step: path.split('.')[0] }),
    here,
    isPending: isPending(row.status),
    /** What the phone opens. */
    address: isLive ? linkAddress(lang, token) : undefined,
    expiresAt: link?.expires_at ?? 0,
    isUsed: link?.opened_at !== null && isLive,
    files: ids.flatMap((id) => documents.get(id) ?? []),
  };
}
