import type { Generated } from 'kysely';
import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  containers: {
    key: ['container_id'],
    maintained: ['document_count'],
    ofClient: { exported: 'folders.csv', merged: 'united', kept: 'with client' },
  },
  container_roles: { key: ['contact_id', 'container_id'], ofClient: { exported: 'folder-roles.csv' } },
  item_locks: {
    key: ['item_id', 'kind'],
    ofClient: { exported: 'locks.csv', merged: 'follows', kept: { until: 'it is unlocked' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    containers: Containers;
    container_roles: ContainerRoles;
    item_locks: ItemLocks;
  }
}

interface Containers {
  container_id: string;
  company_id: string;
  client_id: string;
  container_type: 'client' | 'project' | 'folder';
  parent_id: string | null;
  name: string;
  name_key: string;
  product_type: string | null;
  processing_year: number | null;
  /** The number of documents that are not deleted, maintained by triggers. */
  document_count: Generated<number>;
  created_by: string;
  created_at: Millis;
  modified_at: Millis;
  deleted_at: Millis | null;
  deleted_by: string | null;
  /** The folder that was deleted: this one, or the ancestor that took it along. */
  deleted_with: string | null;
}

/** The role of a contact in a container and its descendants, where the firm assigned one. */
interface ContainerRoles {
  container_id: string;
  contact_id: string;
  role: 'Owner' | 'Contributor';
}

/** Locks on containers and documents; a `Read` lock of level `Master` makes the item read-only. */
interface ItemLocks {
  item_id: string;
  kind: 'Read';
  level: 'Master';
  client_id: string;
  locked_by: string;
  locked_at: Millis;
}
