import type { Session } from '#features/base/people/people.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Destination, Page as FormPage } from '#platform/forms/forms.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { promisesFor } from './promises.server.ts';
import { remindNow, type RemindResult } from './remind-now.server.ts';
import { mailsAbout, unreachedFor } from './task-mails.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'locale' | 'timeZone' | 'pathTo'> & { session: Session };
}

const OUTCOMES = {
  sent: 'remindSent',
  'too-soon': 'remindTooSoon',
  bounced: 'remindBounced',
  paused: 'remindPaused',
  'no-contact': 'remindNoContact',
  'not-open': 'remindNotOpen',
} as const satisfies Record<RemindResult['outcome'], string>;

/** The emails and planned dates of a task for the firm, and the button that reminds. NOT_FOUND. */
export async function taskRemindersSection(page: Page, taskId: string) {
  const { locale, timeZone, session, pathTo } = page.locals;
  const { actor } = session;
  const done = await useActions(page, {
    'remind=now': async (): Promise<Destination> => {
      const [result] = await remindNow(actor, [taskId]);
      const outcome = result?.outcome ?? 'no-contact';
      const when = result?.lastAt === undefined ? '' : formatMoment(locale, result.lastAt, timeZone);
      return {
        to: pathTo(`staff/tasks/${taskId}`),
        flash: {
          type: outcome === 'sent' ? 'success' : 'warning',
          namespace: 'reminders',
          key: OUTCOMES[outcome],
          vars: { when },
        },
      };
    },
  });
  if (done) return done;
  const row = await taskRow(actor, taskId, { withDeleted: true });
  const mayRemind = isPending(row.status) && row.deleted_at === null && managesTasks(actor);
  return {
    mayRemind,
    promises: isPending(row.status) ? await promisesFor(actor, taskId) : [],
    mails: await mailsAbout(actor, taskId),
    ...(await unreachedFor(actor, taskId)),
  };
}
