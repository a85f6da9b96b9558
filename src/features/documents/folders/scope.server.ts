import type { ExpressionBuilder } from 'kysely';
import { isForOthers } from './audiences.server.ts';
import { isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/** Libraries of the firm and its staff, which are not part of this portal (spec 1 section 6). */
export const LIBRARIES = ['firmTaxAndAccountingLibrary', 'myTaxAndAccountingLibraries'];
export const inNoLibrary = (e: ExpressionBuilder<Tables, 'containers'>) =>
  e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]);

/**
 * The number of documents in a container that the actor may see, by the count that the database maintains: for staff
 * without those of answers that are not submitted, for contacts without those that are for others.
 */
export const documentCount = (e: ExpressionBuilder<Tables, 'containers'>, actor: Actor) => {
  const withheld = e
    .selectFrom('documents')
    .select((count) => count.fn.countAll<number>().as('withheld'))
    .whereRef('documents.container_id', '=', 'containers.container_id')
    .$if(actor.staff, (documents) => documents.where('documents.answer_state', '=', 'open'))
    .$if(!actor.staff, (documents) => documents.where(isForOthers(actor)))
    .where('documents.deleted_at', 'is', null);
  return e('containers.document_count', '-', withheld);
};

/** The containers of the clients that the actor may act for. */
export const containersOf = (actor: Actor) =>
  db()
    .selectFrom('containers')
    .selectAll('containers')
    .where('containers.deleted_at', 'is', null)
    .where(isOfOwnClient(actor, 'containers.client_id'))
    .where(inNoLibrary);

/** The same with the columns of a list: who created each, and what it contains. */
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
      documentCount(e, actor).as('shown_count'),
    ]);

export type ListedContainerRow = Awaited<
  ReturnType<ReturnType<typeof listedContainersOf>['execute']>
>[number];
export type ContainerRow = Awaited<ReturnType<ReturnType<typeof containersOf>['execute']>>[number];
