import { findClients } from '#features/clients/clients/client-search.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import type { SearchKind } from './contributions.server.ts';

/** The firm's current clients, by name, trade name, number, tag or tax id; a contact's own by name and number. */
export const clientKinds: readonly SearchKind[] = [
  {
    kind: 'clients',
    order: 10,
    label: textOf('records', 'title'),
    icon: 'building-2',
    page: 'staff/clients',
    find: async ({ actor, text, limit, pathTo }) => ({
      hits: (await findClients(actor, text, limit + 1)).map(({ id, name, code }) => ({
        id,
        title: name,
        href: pathTo(`staff/clients/${id}`),
        note: code,
      })),
      all: pathTo('staff/clients', { searchTerm: text }),
    }),
  },
  {
    kind: 'companies',
    order: 10,
    label: textOf('search', 'companies'),
    icon: 'building-2',
    page: 'clients',
    isFor: ({ session: { actor } }) => !actor.staff,
    find: async ({ actor, text, limit, pathTo }) => ({
      hits: (await findClients(actor, text, limit + 1)).map(({ id, name, code }) => ({
        id,
        title: name,
        href: pathTo('', { client: id }),
        note: code,
      })),
      all: pathTo('clients', { q: text }),
    }),
  },
];
