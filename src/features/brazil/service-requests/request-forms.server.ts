import { overlaid, type Overlay } from '#features/brazil/service-request-forms/overlay.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
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

/** Stores what requests of a firm ask, once, and returns its id. */
export async function storeForm(companyId: string, form: Template): Promise<string> {
  const body = JSON.stringify(form);
  const digest = sha256(body);
  await db()
    .insertInto('service_request_forms')
    .values({
      form_id: newId('requestform'),
      company_id: companyId,
      sha256: digest,
      body,
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

const MAX_FORMS = 40;
/** Forms never change. */
const forms = new Map<string, Template>();

/** What a request asks. */
export async function formOfRequest({ form_id: id }: { form_id: string }): Promise<Template> {
  const known = forms.get(id);
  if (known) return known;
  const { body } = await db()
    .selectFrom('service_request_forms')
    .select('body')
    .where('form_id', '=', id)
    .executeTakeFirstOrThrow();
  const form = JSON.parse(body) as Template;
  const [oldest] = forms.keys();
  if (forms.size >= MAX_FORMS && oldest !== undefined) forms.delete(oldest);
  forms.set(id, form);
  return form;
}
