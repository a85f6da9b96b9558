import { overlaid, type Overlay } from '#features/brazil/service-request-forms/overlay.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { AnswerValue, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';

/* What requests ask: a request keeps the form that it was begun with. */

/** The form of a kind as a firm asks it. */
export function formFor(type: RequestType, overlay: Overlay): Template {
  const checked = checkTemplate(overlaid(type, overlay));
  if ('problems' in checked)
    throw new Error(`The form ${type} is wrong: ${JSON.stringify(checked.problems.slice(0, 5))}`);
  return checked.template;
}

/** Answers that a firm gives for all clients, by the paths of their questions. */
type LockedAnswers = Readonly<Record<string, AnswerValue>>;

/** Stores what requests of a firm ask, and what it answers itself, once, and returns its id. */
export async function storeForm(companyId: string, form: Template, answers: LockedAnswers): Promise<string> {
  const [body, locked] = [JSON.stringify(form), JSON.stringify(answers)];
  const digest = sha256(locked === NONE ? body : body + locked);
  await db()
    .insertInto('service_request_forms')
    .values({
      form_id: newId('requestform'),
      company_id: companyId,
      sha256: digest,
      body,
      locked,
      created_at: now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { form_id: id } = await db()
    .selectFrom('service_request_forms')
    .select('form_id')
    .where('company_id', '=', companyId)
    .where('sha256', '=', digest)
    .executeTakeFirstOrThrow();
  return id;
}

const NONE = '{}';
const MAX_FORMS = 40;

interface StoredForm {
  form: Template;
  locked: LockedAnswers;
}
/** Forms never change. */
const forms = new Map<string, StoredForm>();

/** What a request asks. */
export const formOfRequest = async (row: { form_id: string }): Promise<Template> =>
  (await storedForm(row)).form;

/** What the firm has answered itself in a request. */
export const lockedAnswersOf = async (row: { form_id: string }): Promise<LockedAnswers> =>
  (await storedForm(row)).locked;

async function storedForm({ form_id: id }: { form_id: string }): Promise<StoredForm> {
  const known = forms.get(id);
  if (known) return known;
  const { body, locked } = await db()
    .selectFrom('service_request_forms')
    .select(['body', 'locked'])
    .where('form_id', '=', id)
    .executeTakeFirstOrThrow();
  const form = { form: JSON.parse(body) as Template, locked: JSON.parse(locked) as LockedAnswers };
  const [oldest] = forms.keys();
  if (forms.size >= MAX_FORMS && oldest !== undefined) forms.delete(oldest);
  forms.set(id, form);
  return form;
}
