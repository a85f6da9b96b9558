import type { ExpressionBuilder } from 'kysely';
import { actionAddresses } from '#features/base/actions/actions.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/*
 * A document may be for those contacts of its client alone who have an action of the portal, wherever it is filed: the files
 * of a payroll request are for those who have requests of its kind (decision 0130). The staff of the client see it.
 */

type Reader = Pick<Actor, 'staff' | 'access'>;

/** Whether a document is for the reader. */
export const isForReader = (reader: Reader) => (e: ExpressionBuilder<Tables, 'documents'>) => {
  const own = actionAddresses(reader.access);
  return e.or([
    ...(reader.staff ? [e.lit(true)] : []),
    e('documents.audience', 'is', null),
    ...(own.length > 0 ? [e('documents.audience', 'in', own)] : []),
  ]);
};

/** The documents of a container that are for others. */
export const isForOthers = (reader: Reader) => (e: ExpressionBuilder<Tables, 'documents'>) => {
  const own = actionAddresses(reader.access);
  return e.and([
    e('documents.audience', 'is not', null),
    ...(own.length > 0 ? [e('documents.audience', 'not in', own)] : []),
  ]);
};
