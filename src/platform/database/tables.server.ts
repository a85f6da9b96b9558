import { composition } from '../runtime/feature.server.ts';
import type { EncryptedColumn, Tables } from './schema.server.ts';

/** A table as a feature declares it. */
export interface Table {
  name: keyof Tables;
  key: readonly string[];
  encrypted?: Readonly<Record<string, 'always' | 'some rows'>>;
  maintained?: readonly string[];
  inOrderOf?: string;
  /** What happens to the rows of a client. */
  ofClient?: {
    exported: string | { not: string };
    merged?: 'follows' | 'united' | { not: string };
    kept?: string | { until: string };
  };
}

/** The tables of all features, in the order of the features. */
export const allTables = (): Table[] =>
  composition().flatMap(({ tables = {} }) =>
    Object.entries(tables).map(([name, table]) => ({ ...table, name: name as keyof Tables })),
  );

interface Column {
  column: EncryptedColumn;
  table: Table;
  name: string;
  /** True when some rows have plain values. */
  isMixed: boolean;
}

/** The encrypted columns of all features. */
export const encryptedColumns = (): Column[] =>
  allTables().flatMap((table) =>
    Object.entries(table.encrypted ?? {}).map(([name, rows]) => ({
      column: `${table.name}.${name}` as EncryptedColumn,
      table,
      name,
      isMixed: rows === 'some rows',
    })),
  );
