import { firmOf } from '#features/base/firms/firms.server.ts';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction, isUniqueViolation, lockRows } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { TYPE_IN_PATH } from './addresses.ts';
import {
  CONTAINER_TYPES,
  UPLOAD_FOLDERS,
  type Container,
  type ContainerType,
  type NewFolder,
  type NewProject,
  type UploadFolder,
} from './folders.ts';
import { present } from './internal/present.server.ts';
import { nameKey } from './names.server.ts';
import { permissionsIn } from './permissions.server.ts';
import { freeName, nameIsAcceptable } from './rules.ts';
import { containersOf, type ContainerRow } from './scope.server.ts';
import { MAX_DEPTH } from './tree.ts';

/**
 * The stored name is in no language, since readers differ: pages show a name by purpose (titles.server.ts).
 */
const UPLOADS_NAME = 'Uploads';

/**
 * Creates a folder; FORBIDDEN without the right to add to the parent, and for a contact without the control
 * AddFolder; NAME_CONFLICT if the name is taken there (spec 1 section 5).
 */
export async function createFolder(actor: Actor, input: NewFolder): Promise<Container> {
  if (!nameIsAcceptable(input.name)) throw new PortalError('BAD_NAME', { name: input.name });
  const mayMake = actor.staff ? !isReadOnly(actor) : actor.access.controls.has('AddFolder');
  const uploads =
    input.into !== undefined && input.parentType === 'Client' && mayMake
      ? await uploadFolderOf(actor, input.parentId, input.into)
      : undefined;
  const parent = await containerOf(
    actor,
    uploads?.containerType ?? input.parentType,
    uploads?.id ?? input.parentId,
  );
  if (!(await permissionsIn(actor, parent)).addContents || !mayMake) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    await lockTree(parent.client_id);
    await containerOf(actor, CONTAINER_TYPES[parent.container_type], parent.container_id); // not deleted meanwhile
    await assertRoomBelow(parent);
    const folder = await addContainer(actor, {
      companyId: parent.company_id,
      clientId: parent.client_id,
      type: 'folder',
      parentId: parent.container_id,
      name: input.name,
    });
    await audit({
      companyId: parent.company_id,
      actor: actor.contactId,
      action: 'folder.create',
      target: folder.id,
      clientId: parent.client_id,
    });
    return folder;
  });
}

/**
 * Lets other changes of the client's folders wait until the open transaction ends, so that two moves never make a
 * cycle, and nothing is added to a folder that is being deleted.
 */
export async function lockTree(clientId: string): Promise<void> {
  await db()
    .selectFrom('containers')
    .select('container_id')
    .where('container_id', '=', clientId)
    .modifyEnd(lockRows)
    .execute();
}

/** The maximum number of containers of a client. */
const MAX_CONTAINERS = 5000;

/**
 * Throws TOO_DEEP and TOO_MANY_FOLDERS (`most`) if `added` folders cannot be added to a container, `levels` of them
 * one in the other.
 */
export async function assertRoomBelow(
  parent: Pick<ContainerRow, 'client_id' | 'container_id'>,
  { added = 1, levels = 1 } = {},
): Promise<void> {
  const rows = await db()
    .selectFrom('containers')
    .select(['container_id', 'parent_id'])
    .where('client_id', '=', parent.client_id)
    .where('deleted_at', 'is', null)
    .execute();
  if (rows.length + added > MAX_CONTAINERS)
    throw new PortalError('TOO_MANY_FOLDERS', { most: MAX_CONTAINERS });
  const parents = new Map(rows.map((row) => [row.container_id, row.parent_id]));
  let depth = 0;
  for (let id: string | null = parent.container_id; id !== null; id = parents.get(id) ?? null) depth += 1;
  if (depth - 1 + levels > MAX_DEPTH) throw new PortalError('TOO_DEEP', { most: MAX_DEPTH });
}

async function addContainer(actor: Actor, input: NewContainer): Promise<Container> {
  try {
    return present(actor, await insertContainer(actor, input));
  } catch (error) {
    if (isUniqueViolation(error)) throw new PortalError('NAME_CONFLICT', { name: input.name });
    throw error;
  }
}

/** Returns a container that the actor may see, whatever its type. */
export async function containerById(actor: Actor, containerId: string): Promise<Container> {
  const row = await containersOf(actor).where('containers.container_id', '=', containerId).executeTakeFirst();
  if (!row) throw notFound();
  return present(actor, row);
}

/**
 * Creates a project for staff, as {@link createProject}. FORBIDDEN for contacts and staff who only read, BAD_NAME,
 * NAME_CONFLICT, TOO_MANY_FOLDERS.
 */
export async function startProject(actor: Actor, input: NewProject): Promise<Container> {
  if (!actor.staff || isReadOnly(actor)) throw new PortalError('FORBIDDEN');
  if (!nameIsAcceptable(input.name)) throw new PortalError('BAD_NAME', { name: input.name });
  const home = await clientContainer(actor, input.clientId);
  return inTransaction(async () => {
    await lockTree(input.clientId);
    await assertRoomBelow(home);
    const project = await createProject(actor, input);
    await audit({
      companyId: home.company_id,
      actor: actor.contactId,
      action: 'folder.create',
      target: project.id,
      clientId: input.clientId,
    });
    return project;
  });
}

/** Creates a project of a client, in which the firm files the documents of a year or a service. */
export async function createProject(actor: Actor, input: NewProject): Promise<Container> {
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

/** Finds the upload folder of a client, if it exists; reading creates none. */
export async function findDefaultFolder(
  actor: Actor,
  clientId: string,
  which: UploadFolder = 'uploads',
): Promise<Container | undefined> {
  await assertActsFor(actor, clientId);
  const row = await containersOf(actor)
    .where('client_id', '=', clientId)
    .where('product_type', '=', UPLOAD_FOLDERS[which])
    .executeTakeFirst();
  return row && present(actor, row);
}

/**
 * Returns the default folder for uploads by the client's contacts; it is created with the first upload
 * (product.md, Documents).
 */
export const defaultFolder = (actor: Actor, clientId: string, name = UPLOADS_NAME): Promise<Container> =>
  ensureFolder(actor, clientId, 'uploads', name);

/**
 * Returns an upload folder, created if necessary: that of the contacts, or for staff that of the firm, which
 * has the firm's name. FORBIDDEN for a contact who requests the firm's.
 */
export async function uploadFolderOf(
  actor: Actor,
  clientId: string,
  which: UploadFolder,
): Promise<Container> {
  if (which === 'uploads') return defaultFolder(actor, clientId);
  await assertActsFor(actor, clientId);
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  return ensureFolder(actor, clientId, which, (await firmOf(actor.companyId)).name);
}

async function ensureFolder(
  actor: Actor,
  clientId: string,
  which: UploadFolder,
  name: string,
): Promise<Container> {
  const home = await clientContainer(actor, clientId);
  const found = await findDefaultFolder(actor, clientId, which);
  if (found) return found;
  const siblings = await containersOf(actor).where('parent_id', '=', home.container_id).execute();
  const taken = new Set(siblings.map((row) => row.name_key));
  const free = freeName(name, (candidate) => taken.has(nameKey(candidate)));
  const productType = UPLOAD_FOLDERS[which];
  try {
    const row = await insertContainer(actor, {
      companyId: home.company_id,
      clientId,
      type: 'project',
      parentId: home.container_id,
      name: free,
      productType,
    });
    return present(actor, row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // somebody created it at the same moment, or took its name
    return ensureFolder(actor, clientId, which, name);
  }
}

/** The container of the client itself; it has the client's id. */
async function clientContainer(actor: Actor, clientId: string): Promise<ContainerRow> {
  const find = () =>
    containersOf(actor)
      .where('container_id', '=', clientId)
      .where('container_type', '=', 'client')
      .executeTakeFirst();
  const found = await find();
  if (found) return found;
  const client = await clientIdsOf(actor)
    .select(['clients.name', 'clients.company_id'])
    .where('clients.client_id', '=', clientId)
    .executeTakeFirst();
  if (!client) throw notFound();
  try {
    return await insertContainer(actor, {
      id: clientId,
      companyId: client.company_id,
      clientId,
      type: 'client',
      parentId: null,
      name: client.name,
    });
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

/**
 * Finds a container of that type that the actor may see; NOT_FOUND otherwise. A client's own is created on
 * first use.
 */
export async function containerOf(
  actor: Actor,
  type: ContainerType,
  containerId: string,
): Promise<ContainerRow> {
  if (type === 'Client') return clientContainer(actor, containerId);
  const row = await containersOf(actor)
    .where('container_id', '=', containerId)
    .where('container_type', '=', type === 'Project' ? 'project' : 'folder')
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * The type of container that a URL means: in the spec `folders` stands for a client, a project or a folder
 * (spec 1 section 7).
 */
export async function containerTypeNamed(
  actor: Actor,
  type: keyof typeof TYPE_IN_PATH,
  id: string,
): Promise<ContainerType> {
  if (type !== 'folders') return TYPE_IN_PATH[type];
  const row = await containersOf(actor).where('container_id', '=', id).executeTakeFirst();
  if (row) return CONTAINER_TYPES[row.container_type];
  const client = await clientIdsOf(actor).where('clients.client_id', '=', id).executeTakeFirst();
  return client ? 'Client' : 'Folder';
}
