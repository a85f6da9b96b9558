import { firmOf, noteFirstDay } from '#features/base/firms/firms.server.ts';
import { DEFAULT_COLORS } from '#features/base/firms/firms.ts';
import { staffWith } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { consume } from '#platform/security/limits.server.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import { mailStatuses, queueMail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** The steps from an empty firm to a working one, in the order in which they are done. */
export const STEPS = ['firm', 'theme', 'mail', 'owner', 'staff', 'clients', 'invite'] as const;
type Step = (typeof STEPS)[number];

export interface Checklist {
  /** Each step is done when the firm is in that state, however it came about. */
  done: Readonly<Record<Step, boolean>>;
  /** Steps that wait for an invitation to be accepted. */
  invited: readonly Step[];
  /** The state of the last test mail; undefined if none was sent. */
  mail: 'queued' | 'sent' | 'failed' | undefined;
  /** True if an owner closed the list. */
  isClosed: boolean;
}

/** Returns what is done of a firm's first day. FORBIDDEN without the right to manage the firm. */
export async function checklistOf(actor: Actor): Promise<Checklist> {
  assertManagesFirm(actor);
  const { companyId } = actor;
  const [firm, row] = [await firmOf(companyId), await rowOf(companyId)];
  const staff = (await staffWith(companyId, 'DefaultStaff')).filter(canAccessPortal);
  const mail = await testMail(companyId, row.mail_tested_at);
  return {
    done: {
      firm: firm.phone !== '' && firm.email !== '',
      theme: isThemed(firm),
      mail: mail === 'sent',
      owner: staff.filter(({ role }) => role === 'owner').length > 1,
      staff: staff.length > 1,
      clients: await hasClients(companyId),
      invite: await hasInvited(companyId),
    },
    invited: await invitedSteps(companyId),
    mail,
    isClosed: row.first_day_done_at !== null,
  };
}

/** Tells whether the checklist is what this person needs first: an owner of a firm without clients. */
export async function startsWithChecklist(actor: Actor): Promise<boolean> {
  if (!managesFirm(actor)) return false;
  const { first_day_done_at: closedAt } = await rowOf(actor.companyId);
  return closedAt === null && !(await hasClients(actor.companyId));
}

/** Closes the checklist. */
export async function closeChecklist(actor: Actor): Promise<void> {
  assertManagesFirm(actor);
  await inTransaction(async () => {
    await noteFirstDay(actor.companyId, { first_day_done_at: now() });
    await note(actor, 'first-day.done');
  });
}

const MAX_PER_HOUR = 10;

/** Sends a mail to the actor, to see whether mails of the portal arrive. */
export async function sendTestMail(actor: Actor): Promise<void> {
  assertManagesFirm(actor);
  await consume(`test-mail:${actor.contactId}`, MAX_PER_HOUR, HOUR);
  const firm = await firmOf(actor.companyId);
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const instant = now();
  await inTransaction(async () => {
    await noteFirstDay(actor.companyId, { mail_tested_at: instant });
    await note(actor, 'first-day.mail');
    await queueMail(
      firmMail({
        about: { kind: 'test', contactId: actor.contactId },
        firm,
        to: actor.emailAddress,
        lang,
        title: t('testTitle', { firm: firm.name }),
        text: [t('testText')],
        button: { label: t('testButton'), link: `${config.origin}/${config.base}/${lang}/staff/start` },
        reason: t('testReason'),
      }),
      keyOf(actor.companyId, instant),
    );
  });
}

const keyOf = (companyId: string, at: number): string => `test-${companyId}-${at}`;

async function testMail(companyId: string, at: number | null): Promise<Checklist['mail']> {
  if (at === null) return undefined;
  const key = keyOf(companyId, at);
  return (await mailStatuses([key])).get(key) ?? 'sent';
}

const managesFirm = ({ staff, access }: Actor): boolean => staff && access.permissions.has('ManageFirm');

function assertManagesFirm(actor: Actor): void {
  if (!managesFirm(actor)) throw new PortalError('FORBIDDEN');
}

async function rowOf(companyId: string) {
  const row = await db()
    .selectFrom('firms')
    .select(['mail_tested_at', 'first_day_done_at'])
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

function isThemed({ theme }: Awaited<ReturnType<typeof firmOf>>): boolean {
  return (
    theme.logoUrl !== null ||
    theme.bannerUrl !== null ||
    theme.headerFillColor !== DEFAULT_COLORS.headerFillColor ||
    theme.buttonFillColor !== DEFAULT_COLORS.buttonFillColor
  );
}

async function hasClients(companyId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('clients')
    .select('company_id')
    .where('company_id', '=', companyId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Tells whether a contact was invited, or is there already. */
async function hasInvited(companyId: string): Promise<boolean> {
  const contact = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('company_id', '=', companyId)
    .where('staff', '=', 0)
    .limit(1)
    .executeTakeFirst();
  if (contact) return true;
  const invitation = await db()
    .selectFrom('invitations')
    .select('invitation_id')
    .where('company_id', '=', companyId)
    .where('role', '=', '')
    .where('sent_at', '>', 0)
    .limit(1)
    .executeTakeFirst();
  return invitation !== undefined;
}

/** The steps about staff for whom an invitation is open. */
async function invitedSteps(companyId: string): Promise<Step[]> {
  const rows = await db()
    .selectFrom('invitations')
    .select('role')
    .distinct()
    .where('company_id', '=', companyId)
    .where('role', '<>', '')
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .execute();
  if (rows.length === 0) return [];
  return rows.some(({ role }) => role === 'owner') ? ['owner', 'staff'] : ['staff'];
}

const note = (actor: Actor, action: 'first-day.mail' | 'first-day.done'): Promise<void> =>
  audit({ companyId: actor.companyId, actor: actor.contactId, action, target: actor.companyId });
