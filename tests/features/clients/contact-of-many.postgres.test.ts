import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { postgresPlansOf, rowsRead } from '../../support/postgres-plans.ts';
import { contactsWithManyClients, READS } from '../../support/contacts-with-many-clients.ts';

/* What the pages of a contact with 4,000 clients read on PostgreSQL. */

const { most } = await contactsWithManyClients();

/** Groups are looked through in an index up to 2,000, and counted there; a search reads the names of the links. */
const MAX_READ: Record<string, number> = { task_groups: 4100, client_contacts: 2100 };

for (const [what, read] of Object.entries(READS))
  test(`${what}: no walk over the 4,000 clients of a contact or their tasks`, async () => {
    for (const { text, plan } of await postgresPlansOf(() => read(most)))
      for (const table of ['clients', 'client_contacts', 'task_groups', 'tasks', 'task_messages'])
        expect(rowsRead(plan, table), `${table}: ${text}`).toBeLessThanOrEqual(
          what === 'a search of clients' && table === 'client_contacts' ? 5000 : (MAX_READ[table] ?? 1000),
        );
  });
