import { sql } from 'kysely';
import { contains } from '#features/base/grids/filters.server.ts';
import { checkTemplate, type TemplateProblem } from '#features/tasks/questionnaires/checks.server.ts';
import {
  MAX_TEMPLATE_SIZE,
  template as schema,
  type Template,
} from '#features/tasks/questionnaires/questionnaires.ts';
import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import type { ReviewTemplates } from '#features/tasks/document-review/document-review-page.server.ts';
import { firmToday } from '#features/tasks/tasks/scope.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inTransaction, lockRows } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { starterChoices, starterNamed } from './starters.server.ts';
import {
  dueDateOf,
  newTemplate,
  type ListedTemplate,
  type NewTemplate,
  type TemplateChange,
  type TemplateQuery,
  type TemplateType,
} from './task-templates.ts';

const MAX_TEMPLATES = 1000;
export const TEMPLATES_A_PAGE = 50;

/** A template as its page shows it: the draft, else the newest published version. */
export interface TaskTemplate extends ListedTemplate {
  starter: string;
  dueRule: string;
  revision: number;
  form: Template;
  problems: TemplateProblem[];
}

const templatesOf = (actor: Actor) =>
  db().selectFrom('task_templates').where('task_templates.company_id', '=', actor.companyId);

/** Lists the templates of the firm by name, one page of them; FORBIDDEN for those who may not create tasks. */
export async function listTemplates(
  actor: Actor,
  { searchTerm, show, from }: TemplateQuery,
): Promise<{ templates: ListedTemplate[]; total: number }> {
  assertManagesTasks(actor);
  const term = fold(searchTerm.trim());
  const matching = templatesOf(actor)
    .where('archived_at', show === 'archived' ? 'is not' : 'is', null)
    .$if(term !== '', (all) => all.where(contains(sql.ref('task_templates.name_key'), term)));
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy('name_key')
    .orderBy('template_id')
    .limit(TEMPLATES_A_PAGE)
    .offset(from)
    .execute();
  return { templates: await withVersions(rows), total: Number(total) };
}

/** The published templates of the firm by name, without what they ask. */
export async function publishedTemplates(actor: Actor): Promise<ListedTemplate[]> {
  assertManagesTasks(actor);
  const rows = await templatesOf(actor)
    .selectAll()
    .where('archived_at', 'is', null)
    .orderBy('name_key')
    .orderBy('template_id')
    .limit(MAX_TEMPLATES)
    .execute();
  return (await withVersions(rows)).filter(({ version }) => version !== null);
}

interface TemplateRow {
  template_id: string;
  name: string;
  type: TemplateType;
  archived_at: number | null;
}

async function withVersions(rows: readonly TemplateRow[]): Promise<ListedTemplate[]> {
  if (rows.length === 0) return [];
  const versions = await db()
    .selectFrom('task_template_versions')
    .select((e) => ['template_id', 'state', e.fn.max('version').as('version')])
    .where(
      'template_id',
      'in',
      rows.map((row) => row.template_id),
    )
    .groupBy(['template_id', 'state'])
    .execute();
  const newest = (id: string, state: 'draft' | 'published'): number | null => {
    const found = versions.find((row) => row.template_id === id && row.state === state);
    return found === undefined ? null : Number(found.version);
  };
  return rows.map((row) => ({
    templateId: row.template_id,
    name: row.name,
    type: row.type,
    version: newest(row.template_id, 'published'),
    hasDraft: newest(row.template_id, 'draft') !== null,
    isArchived: row.archived_at !== null,
  }));
}

/** Reads a template of the firm; NOT_FOUND, FORBIDDEN. */
export async function templateOf(actor: Actor, templateId: string): Promise<TaskTemplate> {
  assertManagesTasks(actor);
  const row = await templateRow(actor, templateId);
  const version = await newestVersion(templateId);
  const [listed] = await withVersions([row]);
  if (!listed || !version) throw notFound();
  const form = bodyOf(version);
  const checked = version.state === 'draft' ? checkTemplate(form) : { template: form };
  return {
    ...listed,
    starter: row.starter,
    dueRule: version.due_rule,
    revision: version.revision,
    form,
    problems: 'problems' in checked ? checked.problems : [],
  };
}

async function templateRow(actor: Actor, templateId: string) {
  const row = await templatesOf(actor).selectAll().where('template_id', '=', templateId).executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

const newestVersion = (templateId: string) =>
  db()
    .selectFrom('task_template_versions')
    .selectAll()
    .where('template_id', '=', templateId)
    .orderBy('version', 'desc')
    .executeTakeFirst();

const bodyOf = ({ body }: { body: string }): Template => JSON.parse(body) as Template;

/** What tasks of a template are made of: its published version, or a starter. */
export interface ChosenTemplate {
  id: string;
  version: number | null;
  /** The firm's name for it; empty for a starter. */
  name: string;
  type: TemplateType;
  form: Template;
  dueRule: string;
}

/** The published templates and the starters of document reviews, for the page that asks for one. */
export const reviewTemplates = async (actor: Actor, lang: Lang): Promise<ReviewTemplates> => ({
  listed: [
    ...(await publishedTemplates(actor))
      .filter(({ type }) => type === 'document_review')
      .map(({ templateId, name }) => ({ value: templateId, text: name })),
    ...(await starterChoices(await languageOfFirm(actor.companyId), lang, { isReview: true })),
  ],
  named: async (id) => {
    const { type, version, name, form, dueRule } = await chosenTemplate(actor, id);
    if (type !== 'document_review') throw notFound();
    const dueDate = dueDateOf(dueRule, await firmToday(actor.companyId)) ?? null;
    return { id, version, name, form, dueDate };
  },
});

/** The published version of a template of the firm, or a starter; NOT_FOUND for others, FORBIDDEN. */
export async function chosenTemplate(actor: Actor, id: string): Promise<ChosenTemplate> {
  assertManagesTasks(actor);
  const starter = await starterNamed(id);
  if (starter) return { id, version: null, name: '', type: starter.kind, form: starter.form, dueRule: '' };
  const row = await templateRow(actor, id);
  const version = await db()
    .selectFrom('task_template_versions')
    .selectAll()
    .where('template_id', '=', id)
    .where('state', '=', 'published')
    .orderBy('version', 'desc')
    .executeTakeFirst();
  if (!version || row.archived_at !== null) throw notFound();
  const { name, type } = row;
  return { id, version: version.version, name, type, form: bodyOf(version), dueRule: version.due_rule };
}

/**
 * Creates a template with a draft and returns its id. FORBIDDEN; INVALID with the problems of a form that is no
 * questionnaire; TOO_MANY.
 */
export async function createTemplate(actor: Actor, input: NewTemplate, starter = ''): Promise<string> {
  assertManagesTasks(actor);
  const values = newTemplate.parse(input);
  const form = readable(values.form);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const { count } = await templatesOf(current)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_TEMPLATES) throw new PortalError('TOO_MANY', { most: MAX_TEMPLATES });
    const templateId = newId('tasktemplate');
    await db()
      .insertInto('task_templates')
      .values({
        template_id: templateId,
        company_id: current.companyId,
        name: values.name,
        name_key: fold(values.name),
        type: values.type,
        starter,
        created_at: now(),
        created_by: current.contactId,
        archived_at: null,
      })
      .execute();
    await insertDraft(templateId, { version: 1, revision: 1, dueRule: values.dueRule, form });
    await auditTemplate(current, 'task-template.create', templateId);
    return templateId;
  });
}

/** Copies a template or a starter as a new draft, and returns its id; NOT_FOUND, FORBIDDEN. */
export async function copyTemplate(actor: Actor, id: string, name: string): Promise<string> {
  const starter = await starterNamed(id);
  if (starter)
    return createTemplate(actor, { name, type: starter.kind, form: { ...starter.form } }, starter.key);
  const { type, dueRule, form, starter: origin } = await templateOf(actor, id);
  return createTemplate(actor, { name, type, dueRule, form: { ...form } }, origin);
}

/** The form as a questionnaire, with its defaults; INVALID if it is none. What else is wrong is said when it is published. */
function readable(form: unknown): Template {
  const parsed = schema.safeParse(form);
  const isTooLarge = JSON.stringify(form).length > MAX_TEMPLATE_SIZE;
  if (parsed.success && !isTooLarge) return parsed.data;
  const checked = checkTemplate(form);
  throw new PortalError('INVALID', {
    field: 'form',
    problems: 'problems' in checked ? checked.problems.slice(0, 20) : [],
  });
}

const insertDraft = (
  templateId: string,
  {
    version,
    revision,
    dueRule,
    form,
  }: { version: number; revision: number; dueRule: string; form: Template },
): Promise<unknown> =>
  db()
    .insertInto('task_template_versions')
    .values({
      template_id: templateId,
      version,
      state: 'draft',
      revision,
      due_rule: dueRule,
      body: JSON.stringify(form),
      changed_at: now(),
      published_at: null,
      published_by: null,
    })
    .execute();

/**
 * Changes the draft of a template; that of a published one begins with its newest version. Returns the new revision.
 * EDIT_CONFLICT if somebody has changed it since, CLOSED for an archived one, INVALID, NOT_FOUND, FORBIDDEN.
 */
export async function saveDraft(actor: Actor, templateId: string, change: TemplateChange): Promise<number> {
  const form = change.form && readable(change.form);
  return changeTemplate(actor, templateId, change.revision, async (current, newest) => {
    const dueRule = change.dueRule ?? newest.due_rule;
    const revision = newest.revision + 1;
    if (change.name !== undefined)
      await db()
        .updateTable('task_templates')
        .set({ name: change.name, name_key: fold(change.name) })
        .where('template_id', '=', templateId)
        .execute();
    if (newest.state === 'published')
      await insertDraft(templateId, {
        version: newest.version + 1,
        revision,
        dueRule,
        form: form ?? bodyOf(newest),
      });
    else
      await db()
        .updateTable('task_template_versions')
        .set({ revision, due_rule: dueRule, changed_at: now(), ...(form && { body: JSON.stringify(form) }) })
        .where('template_id', '=', templateId)
        .where('version', '=', newest.version)
        .execute();
    await auditTemplate(current, 'task-template.change', templateId);
    return revision;
  });
}

/** Publishes the draft of a template: new tasks are made of it. INVALID with its problems, NOT_POSSIBLE without a draft. */
export async function publishTemplate(actor: Actor, templateId: string, revision: number): Promise<void> {
  await changeTemplate(actor, templateId, revision, async (current, newest) => {
    if (newest.state !== 'draft') throw new PortalError('NOT_POSSIBLE');
    const checked = checkTemplate(bodyOf(newest));
    if ('problems' in checked)
      throw new PortalError('INVALID', { field: 'form', problems: checked.problems.slice(0, 20) });
    await db()
      .updateTable('task_template_versions')
      .set({ state: 'published', published_at: now(), published_by: current.contactId })
      .where('template_id', '=', templateId)
      .where('version', '=', newest.version)
      .execute();
    await auditTemplate(current, 'task-template.publish', templateId);
  });
}

/** Archives a template, or takes it back into use: its tasks stay. NOT_FOUND, FORBIDDEN. */
export async function archiveTemplate(actor: Actor, templateId: string, isArchived = true): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const row = await templateRow(current, templateId);
    if ((row.archived_at !== null) === isArchived) return;
    await db()
      .updateTable('task_templates')
      .set({ archived_at: isArchived ? now() : null })
      .where('template_id', '=', templateId)
      .execute();
    await auditTemplate(current, isArchived ? 'task-template.archive' : 'task-template.restore', templateId);
  });
}

type VersionRow = NonNullable<Awaited<ReturnType<typeof newestVersion>>>;

/** Locks a template and changes its newest version, if that is the revision that the person saw. */
async function changeTemplate<T>(
  actor: Actor,
  templateId: string,
  revision: number,
  change: (current: Actor, newest: VersionRow) => Promise<T>,
): Promise<T> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const row = await templatesOf(current)
      .select('archived_at')
      .where('template_id', '=', templateId)
      .modifyEnd(lockRows)
      .executeTakeFirst();
    const newest = row && (await newestVersion(templateId));
    if (!row || !newest) throw notFound();
    if (row.archived_at !== null) throw new PortalError('CLOSED');
    if (newest.revision !== revision) throw new PortalError('EDIT_CONFLICT');
    return change(current, newest);
  });
}

const auditTemplate = (
  { companyId, contactId }: Actor,
  action: `task-template.${'create' | 'change' | 'publish' | 'archive' | 'restore'}`,
  target: string,
): Promise<unknown> => audit({ companyId, actor: contactId, action, target });
