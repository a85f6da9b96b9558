import type { Actor } from '#features/base/people/people.ts';
import {
  addEstablishment,
  removeEstablishment,
} from '#features/brazil/establishments/establishments.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { uniqueNumber } from '../../authz/request-fixtures.ts';
import { sends, toManagers, toStaffWithId } from '../../authz/page-policy.ts';
import type { Thing } from '../../authz/policy.ts';
import { type ClientOfWorld, live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    establishment: true;
  }
}

/** The check digit of a CNPJ (weights 2 to 9, from the right). */
const cnpjDigit = (digits: string): string => {
  const sum = [...digits]
    .toReversed()
    .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 8)), 0);
  return String(sum % 11 < 2 ? 0 : 11 - (sum % 11));
};

export const access: FeatureAccess = {
  rules: {
    // contacts of the fixture have no service requests: tests/features/establishments/establishments.test.ts has those who do
    'get /api/br-payroll/v1/clients/{clientId}/establishments': { who: 'staff', sees: ['clientId'] },
    'get /api/br-payroll/v1/cities': { who: 'staff' },
    'post /api/br-payroll/v1/clients/{clientId}/establishments': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['establishments'],
    },
    'patch /api/br-payroll/v1/establishments/{id}': {
      who: 'staff',
      sees: ['id'],
      changes: ['establishments'],
      trashes: true,
    },
    'delete /api/br-payroll/v1/establishments/{id}': {
      who: 'staff',
      sees: ['id'],
      changes: ['establishments'],
      succeeds: 204,
      trashes: true,
    },
  },
  requests: {
    'get /api/br-payroll/v1/clients/{clientId}/establishments': [{ ids: { clientId: 'client' } }],
    'get /api/br-payroll/v1/cities': [{ ids: {} }],
    'post /api/br-payroll/v1/clients/{clientId}/establishments': [
      {
        ids: { clientId: 'client' },
        send: () => ({ json: { cnpj: uniqueCnpj(), name: 'A branch' } }),
        named: ['stateRegistration', 'city', 'restDays'],
      },
    ],
    'patch /api/br-payroll/v1/establishments/{id}': [
      {
        ids: { id: 'establishment' },
        send: () => ({ json: { version: 1, name: 'Changed' } }),
        named: ['cnpj', 'stateRegistration', 'city', 'restDays'],
      },
    ],
    'delete /api/br-payroll/v1/establishments/{id}': [{ ids: { id: 'establishment' } }],
  },
  pages: {
    '/[base]/[lang]/staff/holidays': toManagers,
    '/[base]/[lang]/actions/service-request/establishments': sends(''),
    '/[base]/[lang]/staff/clients/[id]/establishments': toStaffWithId,
  },
  inMissingSections: ['/[base]/[lang]/actions/service-request/establishments'],
  things: {
    kinds: { establishment: 'establishment' },
    make: async ({ staff, otherStaff, clients }) => ({
      establishment: await makeEstablishments(staff, otherStaff, clients),
    }),
  },
  keys: { establishments: 'establishment_id' },
  fuzz: {
    prepare: async ({ sam, clientA }) => {
      const { id } = await addEstablishment(sam, clientA, { cnpj: '99304518000267', name: 'Branch' });
      return {
        only: {
          'PATCH /api/br-payroll/v1/establishments/{id}': [id],
          'DELETE /api/br-payroll/v1/establishments/{id}': [id],
        },
      };
    },
    notHere: {
      'POST /api/br-payroll/v1/clients/{clientId}/establishments': 'a CNPJ seldom fits by chance',
      'PATCH /api/br-payroll/v1/establishments/{id}': 'versions seldom fit by chance',
    },
  },
};

/** A CNPJ that no other call of the matrix sends. */
function uniqueCnpj(): string {
  const number = `5${String(uniqueNumber()).padStart(11, '0')}`;
  const first = cnpjDigit(number);
  return number + first + cnpjDigit(number + first);
}

/** A branch of each client, and one that was removed. */
async function makeEstablishments(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const add = async (by: Actor, { id: clientId, papers }: ClientOfWorld): Promise<string> =>
    (
      await addEstablishment(by, clientId, {
        cnpj: '99304518000267',
        name: `Branch of ${papers.Folder.name}`,
      })
    ).id;
  const removed = await add(staff, clients.own);
  await removeEstablishment(staff, removed);
  return {
    own: live(await add(staff, clients.own), 'own'),
    sibling: live(await add(staff, clients.sibling), 'sibling'),
    'staff only': live(await add(staff, clients['staff only']), 'staff only'),
    'other firm': live(await add(otherStaff, clients['other firm']), 'other firm'),
    removed: { id: removed, state: 'deleted', client: 'own' },
    ...noIds('establishment'),
  };
}
