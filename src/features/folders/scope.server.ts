import type { ExpressionBuilder } from 'kysely';
import { isOfOwnClient } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';
import type { Tables } from '#platform/schema.server.ts';

/** Libraries of the firm and its staff, which are not part of this portal (spec 1 section 6). */
export const LIBRARIES = ['firmTaxAndAccountingLibrary', 'myTaxAndAccountingLibraries'];
export const inNoLibrary = (e: ExpressionBuilder<Tables, 'containers'>) =>
  e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]);

/** The containers of the clients that the actor may act for. */
export const containersOf = (actor: Actor) =>
  db()
    .selectFrom('containers')
    .selectAll('containers')
    .where('containers.deleted_at', 'is', null)
    .where(isOfOwnClient(actor, 'containers.client_id'))
    .where(inNoLibrary);

/** The same with the columns of a list: who created each, and whether it contains folders. */
export const listedContainersOf = (actor: Actor) =>
  containersOf(actor)
    .leftJoin('contacts', 'contacts.contact_id', 'containers.created_by')
    .select((e) => [
      'contacts.full_name as created_by_name',
      e
        .exists(
          e
            .selectFrom('containers as inner')
            .select('inner.container_id')
            .whereRef('inner.parent_id', '=', 'containers.container_id')
            .where('inner.deleted_at', 'is', null),
        )
        .as('has_folders'),
    ]);

export type ListedContainerRow = Awaited<
  ReturnType<ReturnType<typeof listedContainersOf>['execute']>
>[number];
export type ContainerRow = Awaited<ReturnType<ReturnType<typeof containersOf>['execute']>>[number];
