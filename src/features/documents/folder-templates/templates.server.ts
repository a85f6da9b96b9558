import { containerOf, createFolder } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction, isUniqueViolation } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { pathsOf, type FolderTemplate } from './folder-templates.ts';

const MAX_TEMPLATES = 200;

/** Lists the templates of the firm by name. */
export async function listTemplates(actor: Actor): Promise<FolderTemplate[]> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const rows = await templatesOf(actor).orderBy('name_key').limit(MAX_TEMPLATES).execute();
  return rows.map((row) => ({
    id: row.template_id,
    name: row.name,
    clientKind: row.client_kind,
    folders: row.folders,
  }));
}

const templatesOf = (actor: Actor) =>
  db().selectFrom('folder_templates').selectAll().where('company_id', '=', actor.companyId);

/**
 * Creates a template, or changes the one with this id. FORBIDDEN for those who may not publish, INVALID (`line`) for a
 * line that cannot be read, EMPTY without folders, NAME_CONFLICT.
 */
export async function saveTemplate(
  actor: Actor,
  input: Omit<FolderTemplate, 'id'> & { id?: string | undefined },
): Promise<void> {
  assertMayPublish(actor);
  const paths = pathsOf(input.folders, new Date(now()).getUTCFullYear());
  if ('line' in paths) throw new PortalError('INVALID', { line: paths.line });
  if (paths.length === 0) throw new PortalError('EMPTY');
  const values = {
    name: input.name,
    name_key: nameKey(input.name),
    client_kind: input.clientKind,
    folders: input.folders,
    modified_at: now(),
  };
  try {
    await inTransaction(async () => {
      const id = input.id ?? newId('template');
      if (input.id === undefined) {
        const { length } = await templatesOf(actor).execute();
        if (length >= MAX_TEMPLATES) throw new PortalError('TOO_MANY', { most: MAX_TEMPLATES });
        await db()
          .insertInto('folder_templates')
          .values({ ...values, template_id: id, company_id: actor.companyId, created_at: now() })
          .execute();
      } else {
        const { numUpdatedRows } = await db()
          .updateTable('folder_templates')
          .set(values)
          .where('template_id', '=', id)
          .where('company_id', '=', actor.companyId)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw notFound();
      }
      await auditTemplate(actor, 'template.save', id);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new PortalError('NAME_CONFLICT', { name: input.name });
    throw error;
  }
}

export async function deleteTemplate(actor: Actor, templateId: string): Promise<void> {
  assertMayPublish(actor);
  await inTransaction(async () => {
    const { numDeletedRows } = await db()
      .deleteFrom('folder_templates')
      .where('template_id', '=', templateId)
      .where('company_id', '=', actor.companyId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound();
    await auditTemplate(actor, 'template.delete', templateId);
  });
}

function assertMayPublish(actor: Actor): void {
  if (!actor.staff || isReadOnly(actor)) throw new PortalError('FORBIDDEN');
}

const auditTemplate = (actor: Actor, action: 'template.save' | 'template.delete', target: string) =>
  audit({ companyId: actor.companyId, actor: actor.contactId, action, target });

/**
 * Creates the folders of a template for a client and year, in one transaction, and returns how many were missing:
 * existing folders are kept. NOT_FOUND for a client or template of somebody else.
 */
export async function applyTemplate(
  actor: Actor,
  input: { templateId: string; clientId: string; year: number },
): Promise<number> {
  assertMayPublish(actor);
  const template = await templatesOf(actor).where('template_id', '=', input.templateId).executeTakeFirst();
  if (!template) throw notFound();
  const paths = pathsOf(template.folders, input.year);
  if ('line' in paths) throw new PortalError('INVALID', { line: paths.line });
  return inTransaction(async () => {
    const home = await containerOf(actor, 'Client', input.clientId);
    const places = new Map<string, ContainerRow>([['', home]]);
    let created = 0;
    for (const path of paths) {
      const parent = places.get(path.slice(0, -1).join('/')) ?? home;
      const name = path.at(-1) ?? '';
      const existing = await childNamed(actor, parent, name);
      const place = existing ?? (await newChild(actor, parent, name));
      if (!existing) created += 1;
      places.set(path.join('/'), place);
    }
    return created;
  });
}

const childNamed = (actor: Actor, parent: ContainerRow, name: string): Promise<ContainerRow | undefined> =>
  containersOf(actor)
    .where('containers.parent_id', '=', parent.container_id)
    .where('containers.name_key', '=', nameKey(name))
    .executeTakeFirst();

async function newChild(actor: Actor, parent: ContainerRow, name: string): Promise<ContainerRow> {
  const { id } = await createFolder(actor, {
    name,
    parentId: parent.container_id,
    parentType: CONTAINER_TYPES[parent.container_type],
  });
  return containerOf(actor, 'Folder', id);
}
