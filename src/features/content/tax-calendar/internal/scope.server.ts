import { actsForClient, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

/**
 * The dates of clients that an actor may act for, each with what the firm decided about its rule: without archived clients,
 * and without rules that the firm hides, unless a date of them was marked. Those of the whole firm, and of
 * contacts with many clients, are found by their days, others by their clients.
 */
export const datesOf = (actor: Actor) =>
  db()
    .selectFrom('tax_dates')
    .innerJoin('clients', 'clients.client_id', 'tax_dates.client_id')
    .leftJoin('tax_rule_choices as choices', (join) =>
      join
        .onRef('choices.company_id', '=', 'tax_dates.company_id')
        .onRef('choices.rule_key', '=', 'tax_dates.rule_key'),
    )
    .leftJoin('tax_own_dates as own', 'own.own_date_id', 'tax_dates.rule_key')
    .$if(actor.staff && actor.hasAllClients, (dates) =>
      dates.where('tax_dates.company_id', '=', actor.companyId).where('clients.merged_into', 'is', null),
    )
    .$if(actor.hasManyClients, (dates) =>
      dates.where('tax_dates.company_id', '=', actor.companyId).where(actsForClient(actor)),
    )
    .$if(!actor.hasManyClients && !(actor.staff && actor.hasAllClients), (dates) =>
      dates.where('tax_dates.client_id', 'in', clientIdsOf(actor)),
    )
    .where('clients.archived_at', 'is', null)
    .where((e) =>
      e.or([
        e('tax_dates.mark', '<>', 'open'),
        e('choices.is_muted', 'is', null),
        e('choices.is_muted', '=', 0),
      ]),
    );

/** Whether somebody keeps the tax calendar of clients. */
export const keepsCalendar = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  staff && access.permissions.has('Publish');

export function assertKeepsCalendar(actor: Actor): void {
  if (!keepsCalendar(actor)) throw new PortalError('FORBIDDEN');
}

/** Whether they do so for all clients of the firm. */
export const keepsFirmCalendar = (actor: Actor): boolean => keepsCalendar(actor) && actor.hasAllClients;

export function assertKeepsFirmCalendar(actor: Actor): void {
  if (!keepsFirmCalendar(actor)) throw new PortalError('FORBIDDEN');
}
