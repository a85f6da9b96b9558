import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { VERSION } from '#platform/runtime/version.server.ts';
import { newReferenceCode } from './codes.ts';
import { issueReported, issueSettled } from './events.server.ts';
import { MAX_LINE, type About, type IssueReport, type ListedReport } from './issue-reports.ts';
import { answerMail, confirmationMail } from './mails.server.ts';
import { redact } from './redaction.ts';

/*
 * Problems that people report. Those about documents and tasks are for the firm; those about the portal for the operator,
 * too, who finds them by their code. They are deleted 90 days after they were answered or closed.
 */

const MAX_AN_HOUR = 5;
const KEPT = 90 * DAY;
export const REPORTS_A_PAGE = 50;

export interface NewReport {
  about: About;
  /** Words in the address of the page. */
  source: string;
  description: string;
  details: readonly string[];
  /** The reference code that the page has shown already. */
  code?: string;
}

/**
 * Stores a report, tells the firm and confirms it to its author by email. Returns its code. ALREADY_DONE for a code that is
 * taken, TOO_MANY beyond five an hour.
 */
export async function reportIssue(session: Session, report: NewReport): Promise<string> {
  const { actor, viewing } = session;
  const { companyId, contactId } = actor;
  const author = viewing?.staff.contactId ?? contactId;
  await consume(`issue-reports:${author}`, MAX_AN_HOUR, HOUR);
  const names = await namesAround(actor);
  const { about, source, description } = report;
  const code = report.code ?? newReferenceCode();
  await inTransaction(async () => {
    const added = await db()
      .insertInto('issue_reports')
      .values({
        code,
        company_id: companyId,
        contact_id: contactId,
        viewed_by: viewing?.staff.contactId ?? null,
        about,
        source,
        release: VERSION,
        description: encryptFor('issue_reports.description', code, description),
        details: encryptFor(
          'issue_reports.details',
          code,
          JSON.stringify(report.details.map((line) => redact(line, names).slice(0, MAX_LINE))),
        ),
        state: 'new',
        created_at: now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (Number(added.numInsertedOrUpdatedRows ?? 0) === 0) throw new PortalError('ALREADY_DONE');
    await audit({ companyId, actor: author, action: 'issue.report', target: code });
    await issueReported.announce({ companyId, code });
    if (!viewing)
      await queueMail(confirmationMail(await firmOf(companyId), actor, code, description), mailKey(code));
  });
  log.info({ event: 'issue.reported', kind: about, page: source, version: VERSION });
  return code;
}

const mailKey = (code: string): string => `issue:${code}`;

/** The names that the details must not contain. */
async function namesAround({ companyId, fullName, firstName, emailAddress }: Actor): Promise<string[]> {
  return [fullName, firstName, emailAddress, (await firmOf(companyId)).name];
}

/** A report of the actor; NOT_FOUND. */
export async function ownReport(actor: Actor, code: string): Promise<IssueReport> {
  const row = await reportsOf(actor)
    .where('contact_id', '=', actor.contactId)
    .where('code', '=', code)
    .executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

/** Tells whether an address is the actor's, and the code that of a report of theirs of the last day; else refuses. */
export async function assertConfirmed(actor: Actor, recipient: string, code: string): Promise<void> {
  if (recipient.trim().toLowerCase() !== actor.emailAddress.toLowerCase()) throw new PortalError('FORBIDDEN');
  const { createdAt } = await ownReport(actor, code);
  if (createdAt < now() - DAY) throw notFound();
}

/** Whether the actor sees what the people of their firm report. */
export const seesReports = ({ staff, viewedBy, access }: Actor): boolean =>
  staff && viewedBy === undefined && access.permissions.has('ManageFirm');

/** A page of the firm's reports, the newest first; FORBIDDEN. */
export async function listReports(
  actor: Actor,
  from: number,
): Promise<{ reports: ListedReport[]; total: number }> {
  if (!seesReports(actor)) throw new PortalError('FORBIDDEN');
  const { total } = await db()
    .selectFrom('issue_reports')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('company_id', '=', actor.companyId)
    .executeTakeFirstOrThrow();
  const rows = await reportsOf(actor)
    .innerJoin('contacts', 'contacts.contact_id', 'issue_reports.contact_id')
    .select('contacts.full_name')
    .orderBy('issue_reports.created_at', 'desc')
    .orderBy('issue_reports.code')
    .limit(REPORTS_A_PAGE)
    .offset(from)
    .execute();
  return {
    reports: rows.map((row) => {
      const { code, about, state, createdAt, description } = present(row);
      return { code, about, state, createdAt, author: row.full_name, summary: firstLine(description) };
    }),
    total: Number(total),
  };
}

const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};

/** A report of the actor's firm and its author; FORBIDDEN, NOT_FOUND. */
export async function reportOfFirm(actor: Actor, code: string): Promise<IssueReport & { author: string }> {
  if (!seesReports(actor)) throw new PortalError('FORBIDDEN');
  const row = await reportsOf(actor).where('code', '=', code).executeTakeFirst();
  if (!row) throw notFound();
  return { ...present(row), author: (await actorOf(row.contact_id)).fullName };
}

/** Answers a report by email and on the page of its author; FORBIDDEN, NOT_FOUND. */
export const answerReport = (actor: Actor, code: string, answer: string): Promise<void> =>
  settle(actor, code, async (row, current) => {
    const instant = now();
    await db()
      .updateTable('issue_reports')
      .set({
        answer: encryptFor('issue_reports.answer', code, answer),
        answered_by: current.contactId,
        answered_at: instant,
        settled_at: instant,
        state: 'answered',
      })
      .where('code', '=', code)
      .execute();
    const author = await actorOf(row.contact_id);
    const mail = answerMail(await firmOf(current.companyId), author, code, answer);
    await queueMail(mail, `${mailKey(code)}:${instant}`);
    await audit({
      companyId: current.companyId,
      actor: current.contactId,
      action: 'issue.answer',
      target: code,
    });
  });

/** Closes a report without an answer; FORBIDDEN, NOT_FOUND. */
export const closeReport = (actor: Actor, code: string): Promise<void> =>
  settle(actor, code, async (_, current) => {
    await db()
      .updateTable('issue_reports')
      .set({ state: 'closed', settled_at: now() })
      .where('code', '=', code)
      .execute();
    await audit({
      companyId: current.companyId,
      actor: current.contactId,
      action: 'issue.close',
      target: code,
    });
  });

async function settle(
  actor: Actor,
  code: string,
  change: (row: { contact_id: string }, actor: Actor) => Promise<void>,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (!seesReports(current)) throw new PortalError('FORBIDDEN');
    const row = await reportsOf(current).where('code', '=', code).executeTakeFirst();
    if (!row) throw notFound();
    await change(row, current);
    await issueSettled.announce({ code });
  });
}

const reportsOf = (actor: Actor) =>
  db()
    .selectFrom('issue_reports')
    .selectAll('issue_reports')
    .where('issue_reports.company_id', '=', actor.companyId);

type Row = Awaited<ReturnType<ReturnType<typeof reportsOf>['executeTakeFirstOrThrow']>>;

const present = (row: Row): IssueReport => ({
  code: row.code,
  about: row.about,
  state: row.state,
  source: row.source,
  description: decryptFrom('issue_reports.description', row.code, row.description),
  details: JSON.parse(decryptFrom('issue_reports.details', row.code, row.details)) as string[],
  createdAt: Number(row.created_at),
  answer: row.answer === null ? undefined : decryptFrom('issue_reports.answer', row.code, row.answer),
  answeredAt: row.answered_at === null ? undefined : Number(row.answered_at),
});

/** How many reports of the firm wait. */
export async function waitingReports(companyId: string): Promise<number> {
  const { count } = await db()
    .selectFrom('issue_reports')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('state', '=', 'new')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A report of any firm, for the operator of the installation; undefined if there is none. */
export async function reportForOperator(
  code: string,
): Promise<(IssueReport & { firm: string; release: string }) | undefined> {
  const row = await db().selectFrom('issue_reports').selectAll().where('code', '=', code).executeTakeFirst();
  return row && { ...present(row), firm: (await firmOf(row.company_id)).name, release: row.release };
}

/** Deletes what was settled long ago. */
export async function removeOldReports(): Promise<void> {
  await db()
    .deleteFrom('issue_reports')
    .where('settled_at', '<', now() - KEPT)
    .execute();
}
