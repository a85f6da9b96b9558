import type { ApiRoute } from '#features/base/people/people.ts';
import type { Kind } from './things.ts';

/*
 * Request fixtures: how to make each call of the route table, with the ids it takes, their kinds, and its
 * body. The matrix derives its cells from them. `{name}` in a path is replaced by that id.
 */

export interface Sending {
  query?: Record<string, string>;
  json?: unknown;
  form?: FormData;
  /** Headers, for calls that take parameters in them. */
  headers?: Record<string, string>;
}

export interface RequestFixture {
  /** Distinguishes several fixtures of one call, such as one per kind of parent. */
  of?: string;
  /** Every id that the call takes, in path, query or body, with its kind. */
  ids: Readonly<Record<string, Kind>>;
  send?: (id: Readonly<Record<string, string>>) => Sending;
  /** What stands in the path beside ids, by name; 1 by default. */
  path?: Readonly<Record<string, string>>;
  /** Further fields of the contract that are not sent. */
  named?: readonly string[];
  /** For a list of ids: the same call with several, in this order. */
  batch?: { id: string; send: (ids: readonly string[]) => Sending };
}

let counter = 0;
export const uniqueNumber = (): number => (counter += 1);
/** A unique text. */
export const unique = (text: string): string => `${text} ${uniqueNumber()}`;

/** The options that tasks are read with. */
export const READ = { data: 'true', steps: 'true', taskDetails: 'true', pageNum: '0', pageSize: '100' };

export const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path}`;
