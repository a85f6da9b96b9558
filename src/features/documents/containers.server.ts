import { assertActsFor, clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold, inTransaction, isUniqueViolation } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { wordsFor } from '#platform/words.server.ts';
import { CONTAINER_TYPES, type Container, type ContainerType, type NewFolder } from './documents.ts';
import { freeName, nameIsAcceptable } from './rules.ts';
import { standingsIn, type Standing } from './roles.server.ts';
import { containersOf, listedContainersOf, type ContainerRow, type ListedContainerRow } from './store.server.ts';

const CONTACT_FOLDER = 'ClientContactFolder';
const NO_YEAR = 1900;

/** Makes a folder; FORBIDDEN without the right to add to the parent, and for a contact without the control AddFolder; NAME_CONFLICT when the name is taken there (spec 1 section 5). */
export async function createFolder(actor: Actor, input: NewFolder): Promise<Container> {
  if (!nameIsAcceptable(input.name)) throw new PortalError('BAD_NAME', { name: input.name });
  const mayMake = actor.staff || actor.access.controls.has('AddFolder');
  const uploads = input.into !== undefined && input.parentType === 'Client' && mayMake ? await defaultFolder(actor, input.parentId) : undefined;
  const parent = await containerOf(actor, uploads?.containerType ?? input.parentType, uploads?.id ?? input.parentId);
  if (!(await permissionsIn(actor, parent)).addContents || !mayMake) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const folder = await addContainer(actor, { companyId: parent.company_id, clientId: parent.client_id, type: 'folder', parentId: parent.container_id, name: input.name });
    await audit({ companyId: parent.company_id, actor: actor.contactId, action: 'folder.create', target: folder.id, clientId: parent.client_id });
    return folder;
  });
}

async function addContainer(actor: Actor, input: NewContainer): Promise<Container> {
  try {
    return present(actor, await insertContainer(actor, input));
  } catch (error) {
    if (isUniqueViolation(error)) throw new PortalError('NAME_CONFLICT', { name: input.name });
    throw error;
  }
}

/** Makes a project of a client: what the firm files a year's or a service's documents under. */
export async function createProject(actor: Actor, input: { clientId: string; name: string; productType?: string; processingYear?: number }): Promise<Container> {
  const home = await clientContainer(actor, input.clientId);
  return addContainer(actor, {
    companyId: home.company_id,
    clientId: input.clientId,
    type: 'project',
    parentId: home.container_id,
    name: input.name,
    ...(input.productType && { productType: input.productType }),
    ...(input.processingYear && { processingYear: input.processingYear }),
  });
}

/** The folder that a client's uploads go to when no other is chosen, if there is one yet; looking makes none. */
export async function findDefaultFolder(actor: Actor, clientId: string): Promise<Container | undefined> {
  await assertActsFor(actor, clientId);
  const row = await containersOf(actor).where('client_id', '=', clientId).where('product_type', '=', CONTACT_FOLDER).executeTakeFirst();
  return row && present(actor, row);
}

/** The folder that a client's uploads go to when no other is chosen; made with the first upload, under the name that it has in the actor's language (product.md, Documents). */
export async function defaultFolder(actor: Actor, clientId: string, name = wordsFor(languageOf(actor.language) ?? DEFAULT_LANG, 'documents')('defaultFolderName')): Promise<Container> {
  const home = await clientContainer(actor, clientId);
  const found = await findDefaultFolder(actor, clientId);
  if (found) return found;
  const siblings = await containersOf(actor).where('parent_id', '=', home.container_id).execute();
  const taken = new Set(siblings.map((row) => row.name_key));
  const free = freeName(name, (candidate) => taken.has(nameKey(candidate)));
  try {
    const row = await insertContainer(actor, { companyId: home.company_id, clientId, type: 'project', parentId: home.container_id, name: free, productType: CONTACT_FOLDER });
    return present(actor, row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return defaultFolder(actor, clientId, name); // somebody made it at the same moment, or took its name
  }
}

/** The container that stands for the client itself; it has the client's id. */
async function clientContainer(actor: Actor, clientId: string): Promise<ContainerRow> {
  const find = () => containersOf(actor).where('container_id', '=', clientId).where('container_type', '=', 'client').executeTakeFirst();
  const found = await find();
  if (found) return found;
  const client = await db().selectFrom('clients').select(['name', 'company_id']).where('client_id', '=', clientId).where('client_id', 'in', clientIdsOf(actor)).executeTakeFirst();
  if (!client) throw notFound();
  try {
    return await insertContainer(actor, { id: clientId, companyId: client.company_id, clientId, type: 'client', parentId: null, name: client.name });
  } catch (error) {
    const made = isUniqueViolation(error) ? await find() : undefined;
    if (!made) throw error;
    return made;
  }
}

interface NewContainer {
  id?: string;
  companyId: string;
  clientId: string;
  type: ContainerRow['container_type'];
  parentId: string | null;
  name: string;
  productType?: string;
  processingYear?: number;
}

function insertContainer(actor: Actor, input: NewContainer): Promise<ContainerRow> {
  const instant = now();
  return db()
    .insertInto('containers')
    .values({
      container_id: input.id ?? newId(input.type),
      company_id: input.companyId,
      client_id: input.clientId,
      container_type: input.type,
      parent_id: input.parentId,
      name: input.name.normalize('NFC'),
      name_key: nameKey(input.name),
      product_type: input.productType ?? null,
      processing_year: input.processingYear ?? null,
      created_by: actor.contactId,
      created_at: instant,
      modified_at: instant,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A container of that type that the actor may see; NOT_FOUND otherwise. A client's own is made on first use. */
export async function containerOf(actor: Actor, type: ContainerType, containerId: string): Promise<ContainerRow> {
  if (type === 'Client') return clientContainer(actor, containerId);
  const row = await containersOf(actor)
    .where('container_id', '=', containerId)
    .where('container_type', '=', type === 'Project' ? 'project' : 'folder')
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * What the actor may do with an item that they may see; the one place that decides it (spec 1 section 6). An Owner has every right, a
 * Contributor those of a container, and under the rules of the preview viewer only on what they made. A document is changed by an Owner
 * and by who handed it in. Deleted is what is one's own, by an Owner anything; what is frozen is neither changed nor deleted.
 */
export const permissionsOn = (actor: Actor, createdBy: string | undefined, { of, role, isFrozen, takesUploads = false }: Standing & { of: 'container' | 'document'; takesUploads?: boolean }) => {
  const own = role === 'Owner' || createdBy === actor.contactId;
  const rights = own || (of === 'container' && !actor.access.permissions.has('ShowPreviewB4CCViewer'));
  return { addContents: of === 'container' && (rights || takesUploads), read: true, update: rights && !isFrozen, delete: own && !isFrozen };
};

/** The same for a container; every contact of a client may add to the folder of their uploads, whoever made it. */
const permissionsOnContainer = (actor: Actor, row: ContainerRow, standing: Standing) => permissionsOn(actor, row.created_by, { of: 'container', ...standing, takesUploads: row.product_type === CONTACT_FOLDER });

export async function permissionsIn(actor: Actor, row: ContainerRow) {
  const standing = await standingsIn(actor, { containerIds: [row.container_id] });
  return permissionsOnContainer(actor, row, standing(row.container_id));
}

/** How names are compared in a container: composed, folded. */
export const nameKey = (name: string): string => fold(name.normalize('NFC'));

/** A container alone, as whoever made or uses it gets it. */
async function present(actor: Actor, row: ContainerRow): Promise<Container> {
  const [listed] = await listedContainersOf(actor).where('containers.container_id', '=', row.container_id).execute();
  if (!listed) throw notFound();
  const standing = await standingsIn(actor, { containerIds: [row.container_id] });
  return presentContainer(actor, listed, standing(row.container_id));
}

export function presentContainer(actor: Actor, row: ListedContainerRow, standing: Standing): Container {
  const [by, hasFolders, hasFiles] = [row.created_by_name ?? '', Boolean(row.has_folders), row.document_count > 0];
  return {
    id: row.container_id,
    name: row.name,
    containerType: CONTAINER_TYPES[row.container_type],
    parentId: row.parent_id,
    clientId: row.client_id,
    documentCount: row.document_count,
    hasChildren: hasFolders || hasFiles,
    hasFolders,
    hasFiles,
    isShared: true,
    productType: row.product_type,
    processingYear: row.processing_year === NO_YEAR ? null : row.processing_year,
    permissions: permissionsOnContainer(actor, row, standing),
    history: { createdBy: by, createdDate: new Date(row.created_at).toISOString(), modifiedBy: by, modifiedDate: new Date(row.modified_at).toISOString() },
  };
}
