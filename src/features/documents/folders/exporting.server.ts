import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

import { containersOf } from './scope.server.ts';
import { folderTitle } from './titles.server.ts';

/** The folders of a client, the roles that contacts were given in them, and what is locked. */
export const exportedFolders: Contributions['exports'] = [
  {
    of: 'client',
    name: 'folders.csv',
    text: text('tree', 'exportFolders'),
    content: ({ lang, actor }, { ids }) =>
      exportedTable(
        lang,
        ['folderName', 'kind', 'taxYear', 'parent', 'createdAt', 'createdBy', 'folder'],
        eachRow(foldersOf(actor, ids), (row) => ({
          folder: row.container_id,
          folderName: folderTitle(lang, true, {
            name: row.name,
            productType: row.product_type,
            processingYear: row.processing_year,
          }),
          kind: row.product_type ?? row.container_type,
          taxYear: row.processing_year,
          parent: row.parent_id,
          createdAt: { at: row.created_at },
          createdBy: row.full_name,
        })),
      ),
  },
  {
    of: 'client',
    name: 'folder-roles.csv',
    text: text('tree', 'exportRoles'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['folderName', 'contactName', 'role', 'folder', 'contact'],
        eachRow(rolesIn(ids), (row) => ({
          folder: row.container_id,
          folderName: row.name,
          contact: row.contact_id,
          contactName: row.full_name,
          role: translationsFor(lang, 'tree')(`role${row.role}`),
        })),
      ),
  },
  {
    of: 'client',
    name: 'locks.csv',
    text: text('tree', 'exportLocks'),
    content: ({ lang }, { ids, pathOf }) =>
      exportedTable(
        lang,
        ['label', 'path', 'lockedAt', 'lockedBy', 'id'],
        eachRow(locksOf(ids), (row) => ({
          label: row.document_name ?? row.folder_name,
          id: row.item_id,
          path: pathOf(row.item_id),
          lockedAt: { at: row.locked_at },
          lockedBy: row.full_name,
        })),
      ),
  },
];

const foldersOf = (actor: Actor, clientIds: readonly string[]) =>
  rowPages(['containers.created_at', 'containers.container_id'], (page) =>
    containersOf(actor)
      .leftJoin('contacts', 'contacts.contact_id', 'containers.created_by')
      .select('contacts.full_name')
      .where('containers.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

/** Those of its contacts, by which roles are found: without the client a role gives nothing. */
const rolesIn = (clientIds: readonly string[]) =>
  rowPages(['container_roles.contact_id', 'container_roles.container_id'], (page) =>
    db()
      .selectFrom('container_roles')
      .innerJoin('containers', 'containers.container_id', 'container_roles.container_id')
      .leftJoin('contacts', 'contacts.contact_id', 'container_roles.contact_id')
      .selectAll('container_roles')
      .select(['containers.name', 'contacts.full_name'])
      .where('container_roles.contact_id', 'in', (e) =>
        e
          .selectFrom('client_contacts')
          .select('client_contacts.contact_id')
          .where('client_contacts.client_id', 'in', clientIds),
      )
      .where('container_roles.container_id', 'in', (e) =>
        e
          .selectFrom('containers as own')
          .select('own.container_id')
          .where('own.client_id', 'in', clientIds)
          .where('own.deleted_at', 'is', null),
      )
      .$call(page)
      .execute(),
  );

/** By the folders and documents of the clients, by which locks are found. */
const locksOf = (clientIds: readonly string[]) =>
  rowPages(['item_locks.item_id', 'item_locks.kind'], (page) =>
    db()
      .selectFrom('item_locks')
      .leftJoin('contacts', 'contacts.contact_id', 'item_locks.locked_by')
      .leftJoin('documents as document', 'document.document_id', 'item_locks.item_id')
      .leftJoin('containers as folder', 'folder.container_id', 'item_locks.item_id')
      .selectAll('item_locks')
      .select(['contacts.full_name', 'document.name as document_name', 'folder.name as folder_name'])
      .where('item_locks.item_id', 'in', (e) =>
        e
          .selectFrom('containers')
          .select('containers.container_id as item_id')
          .where('containers.client_id', 'in', clientIds)
          .unionAll(
            e
              .selectFrom('documents')
              .select('documents.document_id as item_id')
              .where('documents.client_id', 'in', clientIds)
              .where('documents.deleted_at', 'is', null),
          ),
      )
      .$call(page)
      .execute(),
  );
