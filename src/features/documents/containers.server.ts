import { assertActsFor, clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold, inTransaction, isUniqueViolation } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import type { Container, ContainerType, NewFolder } from './documents.ts';
import { freeName, nameIsAcceptable } from './rules.ts';
import { containersOf, type ContainerRow } from './store.server.ts';

const CONTACT_FOLDER = 'ClientContactFolder';
const NO_YEAR = 1900;

/** A client's containers with their counts, parents before children, each level by name. */
export async function listContainers(actor: Actor, clientId: string): Promise<Container[]> {
  await assertActsFor(actor, clientId);
  const rows = await containersOf(actor).where('client_id', '=', clientId).orderBy('name_key').execute();
  const children = Map.groupBy(rows, (row) => row.parent_id);
  const walk = (parentId: string | null): Container[] =>
    (children.get(parentId) ?? []).flatMap((row) => [presentContainer(actor, row, row.document_count), ...walk(row.container_id)]);
  return walk(null);
}

/** Makes a folder; FORBIDDEN without the right to add to the parent, and for a contact without the control AddFolder; NAME_CONFLICT when the name is taken there (spec 1 section 5). */
export async function createFolder(actor: Actor, input: NewFolder): Promise<Container> {
  if (!nameIsAcceptable(input.name)) throw new PortalError('BAD_NAME', { name: input.name });
  const parent = await containerOf(actor, input.parentType, input.parentId);
  if (!permissionsOn(actor).addContents || !(actor.staff || actor.access.controls.has('AddFolder'))) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const folder = await addContainer(actor, { companyId: parent.company_id, clientId: parent.client_id, type: 'folder', parentId: parent.container_id, name: input.name });
    await audit({ companyId: parent.company_id, actor: actor.contactId, action: 'folder.create', target: folder.id, clientId: parent.client_id });
    return folder;
  });
}

async function addContainer(actor: Actor, input: NewContainer): Promise<Container> {
  try {
    return presentContainer(actor, await insertContainer(actor, input), 0);
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
  return row && presentContainer(actor, row, row.document_count);
}

/** The folder that a client's uploads go to when no other is chosen; made with the first upload (product.md, Documents). */
export async function defaultFolder(actor: Actor, clientId: string, name: string): Promise<Container> {
  const home = await clientContainer(actor, clientId);
  const found = await findDefaultFolder(actor, clientId);
  if (found) return found;
  const siblings = await containersOf(actor).where('parent_id', '=', home.container_id).execute();
  const taken = new Set(siblings.map((row) => row.name_key));
  const free = freeName(name, (candidate) => taken.has(nameKey(candidate)));
  try {
    const row = await insertContainer(actor, { companyId: home.company_id, clientId, type: 'project', parentId: home.container_id, name: free, productType: CONTACT_FOLDER });
    return presentContainer(actor, row, 0);
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

export const CONTAINER_TYPES = { client: 'Client', project: 'Project', folder: 'Folder' } as const;
/** As they stand in an address. */
export const CONTAINER_PATHS = { client: 'clients', project: 'projects', folder: 'folders' } as const;

/** Within the clients that one may act for: everyone reads and adds; staff may change all, contacts what they handed in. */
export const permissionsOn = (actor: Actor, createdBy?: string) => {
  const own = actor.staff || createdBy === actor.contactId;
  return { addContents: true, read: true, update: own, delete: own };
};

/** How names are compared in a container: composed, folded. */
export const nameKey = (name: string): string => fold(name.normalize('NFC'));

function presentContainer(actor: Actor, row: ContainerRow, documentCount: number): Container {
  return {
    id: row.container_id,
    name: row.name,
    containerType: CONTAINER_TYPES[row.container_type],
    parentId: row.parent_id,
    clientId: row.client_id,
    documentCount,
    productType: row.product_type,
    processingYear: row.processing_year === NO_YEAR ? null : row.processing_year,
    permissions: permissionsOn(actor, row.created_by),
  };
}
