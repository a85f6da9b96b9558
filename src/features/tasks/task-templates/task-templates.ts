import { z } from 'zod';
import { hasPlainKeys, MAX_LABEL } from '#features/tasks/tasks/tasks.ts';
import { addDays } from '#platform/text/time-zones.ts';

/* The contract of task templates. A published version never changes; editing a template begins its next version. */

const TEMPLATE_TYPES = ['questionnaire', 'document_request', 'document_review', 'misc'] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

/** When tasks of a template are due: empty for no date, `+14` days after their creation, or each year on `04-15`. */
const dueRule = z.string().regex(/^(?:|\+[1-9]\d{0,2}|(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))$/);

const name = z.string().trim().min(1).max(MAX_LABEL);
/** A questionnaire. What is wrong with a draft is listed; it cannot be published before that is corrected. */
const form = z
  .unknown()
  .refine(hasPlainKeys) // first, since a record drops them silently
  .pipe(z.record(z.string().max(40), z.unknown()));

export const newTemplate = z.strictObject({
  name,
  type: z.enum(TEMPLATE_TYPES).default('questionnaire'),
  dueRule: dueRule.default(''),
  form,
});
export type NewTemplate = z.input<typeof newTemplate>;

/** A change of a draft; `revision` is the one that it is based on. */
export const templateChange = z.strictObject({
  revision: z.number().int().min(1),
  name: name.optional(),
  dueRule: dueRule.optional(),
  form: form.optional(),
});
export type TemplateChange = z.output<typeof templateChange>;

export const publication = z.strictObject({ revision: z.number().int().min(1) });

export const templateQuery = z.strictObject({
  searchTerm: z.string().max(200).default(''),
  show: z.enum(['current', 'archived']).default('current'),
  from: z.coerce.number().int().min(0).max(100_000).default(0),
});
export type TemplateQuery = z.output<typeof templateQuery>;

export const listedTemplate = z.strictObject({
  templateId: z.string(),
  name: z.string(),
  type: z.enum(TEMPLATE_TYPES),
  /** The newest published version; null before the first. */
  version: z.number().int().nullable(),
  hasDraft: z.boolean(),
  isArchived: z.boolean(),
});
export type ListedTemplate = z.infer<typeof listedTemplate>;

export const taskTemplate = listedTemplate.extend({
  /** The starter that it was made from; empty for none. */
  starter: z.string(),
  dueRule: z.string(),
  /** Changes with every change of the draft. */
  revision: z.number().int(),
  /** The draft, else the newest published version. */
  form: z.record(z.string(), z.unknown()),
  /** What prevents that the draft is published. */
  problems: z.array(z.strictObject({ path: z.string(), code: z.string(), text: z.string() })),
});

/** The day on which a task is due that is created today; undefined without a rule. Days are `2026-02-28`. */
export function dueDateOf(rule: string, today: string): string | undefined {
  if (rule === '') return undefined;
  if (rule.startsWith('+')) return addDays(today, Number(rule));
  const year = Number(today.slice(0, 4));
  const days = [year, year + 1].map((each) => dayOfYear(each, rule));
  return days.find((day) => day >= today);
}

/** February 29 is the 28th in other years. */
function dayOfYear(year: number, monthAndDay: string): string {
  const day = `${year}-${monthAndDay}`;
  const isReal = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(monthAndDay.slice(3));
  return isReal ? day : `${year}-02-28`;
}
