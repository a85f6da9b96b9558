import { z } from 'zod';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { choosableItems, DECISIONS, type Overlay } from '#features/brazil/service-request-forms/overlay.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import type { AnswerValue } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { formFor } from './request-forms.server.ts';
import { LAPSE_DAYS } from './service-requests.ts';

/* What a firm has decided about a kind of requests. */

const MAX_DAYS = 365;
const MAX_TEXT = 2000;

export const settings = z.strictObject({
  /** Whether clients can begin requests of this kind. */
  isOpen: z.boolean(),
  /** How many days the client has to answer. */
  lapseDays: z.int().min(1).max(MAX_DAYS),
  /** In how many business days the firm promises an answer; null if it promises none. */
  promiseDays: z.int().min(1).max(MAX_DAYS).nullable().default(null),
  /** The firm's decisions about questions, by their paths; those that are missing are as they come. */
  questions: z.record(z.string().max(82), z.enum(DECISIONS)),
  /** Its answers to the questions that it has locked, by their paths. */
  locked: z
    .record(z.string().max(82), z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]))
    .default({}),
  /** Rules that warn instead of asking for a reason. None that forbids something. */
  softened: z.array(z.string().max(20)).max(50).default([]),
});
type RequestSettings = z.output<typeof settings>;

const { questions: overlaySchema, locked: lockedSchema, softened: softenedSchema } = settings.shape;

/** The settings of a kind; what a firm has not decided is as it comes. */
export async function settingsOf(companyId: string, type: RequestType): Promise<RequestSettings> {
  const row = await db()
    .selectFrom('service_request_settings')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('type', '=', type)
    .executeTakeFirst();
  return {
    isOpen: (row?.is_open ?? 1) === 1,
    lapseDays: Number(row?.lapse_days ?? LAPSE_DAYS),
    promiseDays: row?.promise_days == null ? null : Number(row.promise_days),
    questions: row ? overlaySchema.parse(JSON.parse(row.overlay)) : {},
    locked: row ? lockedSchema.parse(JSON.parse(row.locked)) : {},
    softened: row ? softenedSchema.parse(JSON.parse(row.softened)) : [],
  };
}

/**
 * Changes the settings of a kind, for requests that begin from now on. FORBIDDEN without the right to manage the firm;
 * INVALID for a question that a firm cannot decide about, such as one that the law needs, for an answer that does not fit
 * the question that it locks, and for a rule that never asks for a reason.
 */
export async function changeSettings(
  actor: Actor,
  type: RequestType,
  change: z.input<typeof settings>,
): Promise<RequestSettings> {
  assertManages(actor);
  const { isOpen, lapseDays, promiseDays, questions, locked, softened } = settings.parse(change);
  assertChoosable(type, questions, locked);
  await assertAsking(type, softened);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManages(current);
    const { companyId } = current;
    const before = await settingsOf(companyId, type);
    const row = {
      is_open: isOpen ? (1 as const) : (0 as const),
      overlay: JSON.stringify(questions),
      locked: JSON.stringify(locked),
      lapse_days: lapseDays,
      promise_days: promiseDays,
      softened: JSON.stringify(softened),
      changed_at: now(),
      changed_by: current.contactId,
    };
    await db()
      .insertInto('service_request_settings')
      .values({ company_id: companyId, type, ...row })
      .onConflict((conflict) => conflict.columns(['company_id', 'type']).doUpdateSet(row))
      .execute();
    await audit({
      companyId,
      actor: current.contactId,
      action: 'service-request.settings',
      target: type,
      details: changedRules(before.softened, softened),
    });
    return settingsOf(companyId, type);
  });
}

/** The rules that only warn from now on, and those that ask for a reason again. */
function changedRules(before: readonly string[], after: readonly string[]): Record<string, string> {
  const [warning, asking] = [
    after.filter((rule) => !before.includes(rule)),
    before.filter((rule) => !after.includes(rule)),
  ];
  return {
    ...(warning.length > 0 && { warning: warning.join(', ') }),
    ...(asking.length > 0 && { asking: asking.join(', ') }),
  };
}

export const managesRequests = ({ staff, access }: Actor): boolean =>
  staff && access.permissions.has('ManageFirm');

function assertManages(actor: Actor): void {
  if (!managesRequests(actor)) throw new PortalError('FORBIDDEN');
}

async function assertAsking(type: RequestType, softened: readonly string[]): Promise<void> {
  const asking = (await rulesOf(type))?.asking ?? [];
  const wrong = softened.find((rule) => !asking.includes(rule));
  if (wrong !== undefined) throw new PortalError('INVALID', { field: wrong });
}

function assertChoosable(
  type: RequestType,
  questions: Overlay,
  locked: Readonly<Record<string, AnswerValue>>,
): void {
  const choosable = new Map(choosableItems(type).map((each) => [each.path, each]));
  const form = formFor(type, questions);
  const isLocked = (path: string): boolean => {
    const question = questionAt(form, path);
    return (
      choosable.get(path)?.canBeLocked === true &&
      question !== undefined &&
      Object.hasOwn(locked, path) &&
      readAnswer(question, locked[path]).state === 'value'
    );
  };
  const wrong = [
    ...Object.entries(questions).filter(
      ([path, decision]) => !choosable.has(path) || (decision === 'locked' && !isLocked(path)),
    ),
    ...Object.entries(locked).filter(([path]) => questions[path] !== 'locked'),
  ];
  if (wrong[0]) throw new PortalError('INVALID', { field: wrong[0][0] });
}
