import { sql } from 'kysely';

/**
 * The condition that a contact of the table `contacts` has not accepted the newest version of the firm's terms, if
 * it has any. Staff need not accept them.
 */
export const hasTermsDue = sql<number>`case when contacts.staff = 0 and exists (
  select 1 from terms where terms.company_id = contacts.company_id
    and terms.version = (select max(newest.version) from terms as newest where newest.company_id = contacts.company_id)
    and not exists (select 1 from terms_acceptances where terms_acceptances.version = terms.version
      and terms_acceptances.contact_id = contacts.contact_id)) then 1 else 0 end`;
