import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { assertDomains } from '#features/sharing/sharing/domains.server.ts';
import { assertPossible } from '#features/tasks/tasks/acting.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { lockTask, taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, MINUTE } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { consume } from '#platform/security/limits.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import {
  declineProposals,
  hasOpenProposals,
  insertLink,
  isOver,
  linksOfTask,
  revokeLinks,
} from './internal/store.server.ts';
import { askMail } from './mails.server.ts';
import { deleteFiles } from './sent-files.server.ts';

/*
 * A contact passes one step of a task to somebody without an account, or one question to their own phone. The links end
 * with the task, and never lead to anything else of the client.
 */

const MAX_A_DAY = 30;
const PHONE_FOR = 10 * MINUTE;

interface Asking {
  section: string;
  person: string;
  email: string;
  code: string;
  days: number;
  showsAnswers: boolean;
  message: string;
}

/**
 * Asks somebody else to answer a step: sends them a link, to which they need the code that is not in the email.
 * NOT_FOUND, CLOSED, EXPIRED, FORBIDDEN for staff, DOMAIN_NOT_ALLOWED, TOO_MANY.
 */
export async function askSomeone(actor: Actor, taskId: string, asking: Asking, lang: Lang): Promise<void> {
  await assertDomains(actor, [asking.email]);
  const codeHash = await hashSecret(asking.code);
  await inTransaction(async () => {
    const { current, row } = await lockOwn(actor, taskId);
    const form = await formOfTask(row);
    if (!form?.sections.some(({ key }) => key === asking.section)) throw notFound();
    await consume(`task-links:${current.contactId}`, MAX_A_DAY, DAY);
    const { linkId, token, expiresAt } = await insertLink({
      companyId: row.company_id,
      taskId,
      purpose: 'answer',
      section: asking.section,
      path: '',
      person: asking.person,
      email: asking.email,
      codeHash,
      showsAnswers: asking.showsAnswers,
      madeBy: current.contactId,
      lifetime: asking.days * DAY,
    });
    await queueMail(
      askMail({
        linkId,
        clientId: row.client_id,
        sender: current,
        firm: await firmOf(row.company_id),
        to: { name: asking.person, address: asking.email },
        task: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
        message: asking.message,
        link: linkAddress(lang, token),
        expiresAt,
        lang,
      }),
      linkId,
    );
    await note(row, current.contactId, 'task-link.ask', { link: linkId, step: asking.section });
  });
}

/**
 * Makes a link for the contact's own phone to one question that asks for files. It expires after ten minutes or when
 * the contact signs out, replaces the one before, and works for the first browser that uses it. Throws as
 * {@link askSomeone} does; INVALID for another question.
 */
export async function startPhone(
  actor: Actor,
  taskId: string,
  path: string,
): Promise<{ token: string; linkId: string }> {
  return inTransaction(async () => {
    const { current, row } = await lockOwn(actor, taskId);
    const form = await formOfTask(row);
    if (!form || questionAt(form, path)?.kind !== 'files')
      throw new PortalError('INVALID', { field: 'path' });
    await consume(`task-phone:${current.contactId}`, 60, DAY);
    const made = await insertLink({
      companyId: row.company_id,
      taskId,
      purpose: 'phone',
      section: path.split('.')[0] ?? '',
      path,
      person: null,
      email: null,
      codeHash: null,
      showsAnswers: false,
      madeBy: current.contactId,
      lifetime: PHONE_FOR,
    });
    await endPhones({ contactId: current.contactId, except: made.linkId });
    await note(row, current.contactId, 'task-link.phone', { link: made.linkId });
    return made;
  });
}

/** Ends the links that a contact made for their phone, except one if it is named: also when they sign out. */
export async function endPhones({
  contactId,
  except = '',
}: {
  contactId: string;
  except?: string;
}): Promise<void> {
  await db()
    .updateTable('task_links')
    .set((e) => ({ revoked_at: e.ref('made_at') }))
    .where('made_by', '=', contactId)
    .where('purpose', '=', 'phone')
    .where('link_id', '<>', except)
    .where('revoked_at', 'is', null)
    .execute();
}

async function lockOwn(actor: Actor, taskId: string): Promise<{ current: Actor; row: TaskRow }> {
  const current = await actorNow(actor);
  if (current.staff || current.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  const row = await lockTask(current, taskId);
  await assertPossible(current, row, 'save');
  return { current, row };
}

export const linkAddress = (lang: Lang, token: string): string =>
  `${config.origin}/${config.base}/${lang}/task-link/${token}`;

/** Somebody who was asked, and what came of it. */
export interface AskedPerson {
  linkId: string;
  person: string;
  email: string;
  section: string;
  madeAt: number;
  expiresAt: number;
  state: 'waiting' | 'opened' | 'answered' | 'decided' | 'over';
}

/** The people who were asked about a task, the newest first. NOT_FOUND. */
export async function peopleAsked(actor: Actor, taskId: string): Promise<AskedPerson[]> {
  await taskRow(actor, taskId);
  return (await linksOfTask(taskId)).map((link) => ({
    linkId: link.link_id,
    person: link.person,
    email: link.email,
    section: link.section,
    madeAt: link.made_at,
    expiresAt: link.expires_at,
    state:
      link.decided_by !== null
        ? 'decided'
        : link.sent_at !== null && link.decided_at === null
          ? 'answered'
          : isOver(link)
            ? 'over'
            : link.opened_at !== null
              ? 'opened'
              : 'waiting',
  }));
}

/**
 * Ends a link, and declines what came by it and is not decided: its files are deleted. NOT_FOUND; nothing if it has
 * ended.
 */
export async function revokeTaskLink(actor: Actor, taskId: string, linkId: string): Promise<void> {
  await inTransaction(async () => {
    const { current, row } = await lockOwn(actor, taskId);
    if (!(await linksOfTask(taskId)).some((link) => link.link_id === linkId)) throw notFound();
    const isRevoked = (await revokeLinks(taskId, linkId)) > 0;
    await declineUndecided([linkId], current.contactId);
    if (isRevoked) await note(row, current.contactId, 'task-link.revoke', { link: linkId });
  });
}

/** Declines what came by links and is not decided: by a contact, or by nobody since the task has ended. */
async function declineUndecided(linkIds: readonly string[], by: string | null): Promise<void> {
  await declineProposals(linkIds, by);
  await deleteFiles(linkIds);
}

/** Ends the links of a task that no longer waits for the client. */
export async function endLinksOfTask({ taskId }: { taskId: string }): Promise<void> {
  const row = await db()
    .selectFrom('tasks')
    .select(['status', 'deleted_at'])
    .where('task_id', '=', taskId)
    .executeTakeFirst();
  if (row && isPending(row.status) && row.deleted_at === null) return;
  await inTransaction(async () => {
    await revokeLinks(taskId);
    await declineUndecided(
      (await linksOfTask(taskId)).map((link) => link.link_id),
      null,
    );
  });
}

/** Refuses the submission while answers of somebody else are undecided. */
export async function assertProposalsDecided({ taskId }: { taskId: string }): Promise<void> {
  if (await hasOpenProposals(taskId)) throw new PortalError('INCOMPLETE', { proposals: true });
}

type TaskLinkAction =
  | 'task-link.ask'
  | 'task-link.phone'
  | 'task-link.revoke'
  | 'task-link.open'
  | 'task-link.refuse'
  | 'task-link.file'
  | 'task-link.answer'
  | 'task-link.decide';

/** Audits an event of a link. */
export const note = (
  row: Pick<TaskRow, 'company_id' | 'client_id' | 'task_id'>,
  actor: string,
  action: TaskLinkAction,
  details: Record<string, string | number>,
): Promise<unknown> =>
  audit({
    companyId: row.company_id,
    actor,
    action,
    target: row.task_id,
    clientId: row.client_id,
    details,
  });
