import type { Actor } from '#features/base/people/people.ts';
import { addEmployee } from '#features/brazil/employees/changes.server.ts';
import { changesOf, undoChange } from '#features/brazil/employees/undo.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends, toStaffWithId, toWritersWithId } from '../../authz/page-policy.ts';
import type { Thing } from '../../authz/policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { type ClientOfWorld, live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    employee: true;
  }
}

const EMPLOYEE_FIELDS = [
  'category',
  'position',
  'cbo',
  'salaryCents',
  'salaryUnit',
  'weeklyMinutes',
  'bornOn',
  'establishmentId',
  'contractEndsOn',
  'trialEndsOn',
  'endedOn',
  'endReason',
  'vacationPeriods',
  'leaves',
];

const newEmployee = () => ({
  name: 'New',
  cpf: '34127023074',
  hiredOn: '2024-02-01',
  registration: unique('R'),
});

export const access: FeatureAccess = {
  rules: {
    'get /api/br-payroll/v1/clients/{clientId}/employees': { who: 'staff', sees: ['clientId'] },
    'post /api/br-payroll/v1/clients/{clientId}/employees': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['employees', 'employee_changes'],
    },
    'put /api/br-payroll/v1/clients/{clientId}/employees': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['employees', 'employee_changes'],
    },
    'get /api/br-payroll/v1/employees/tooltips': { who: 'staff', narrows: ['ids'] },
    'get /api/br-payroll/v1/employees/{id}': { who: 'staff', sees: ['id'] },
    'patch /api/br-payroll/v1/employees/{id}': {
      who: 'staff',
      sees: ['id'],
      changes: ['employees', 'employee_changes'],
      trashes: true,
    },
    'get /api/br-payroll/v1/employees/{id}/vacation-periods': { who: 'staff', sees: ['id'] },
  },
  requests: {
    'get /api/br-payroll/v1/clients/{clientId}/employees': [
      {
        ids: { clientId: 'client' },
        send: () => ({ query: { searchTerm: 'canary', filter: 'all' } }),
        named: ['startIndex', 'itemsPerPage'],
      },
    ],
    'post /api/br-payroll/v1/clients/{clientId}/employees': [
      { ids: { clientId: 'client' }, send: () => ({ json: newEmployee() }), named: EMPLOYEE_FIELDS },
    ],
    'put /api/br-payroll/v1/clients/{clientId}/employees': [
      {
        ids: { clientId: 'client' },
        send: () => ({ json: { items: [newEmployee()] } }),
        named: EMPLOYEE_FIELDS,
      },
    ],
    'get /api/br-payroll/v1/employees/tooltips': [
      { ids: { ids: 'employee' }, send: ({ ids = '' }) => ({ query: { ids } }) },
    ],
    'get /api/br-payroll/v1/employees/{id}': [{ ids: { id: 'employee' } }],
    'patch /api/br-payroll/v1/employees/{id}': [
      {
        ids: { id: 'employee' },
        send: () => ({ json: { version: 1, position: unique('Baker') } }),
        named: [...EMPLOYEE_FIELDS, 'name', 'cpf', 'hiredOn', 'registration'],
      },
    ],
    'get /api/br-payroll/v1/employees/{id}/vacation-periods': [{ ids: { id: 'employee' } }],
  },
  pages: {
    '/[base]/[lang]/actions/service-request/employees': sends(''),
    '/[base]/[lang]/actions/service-request/employees/[employeeId]': sends(''),
    '/[base]/[lang]/staff/clients/[id]/employees': toStaffWithId,
    '/[base]/[lang]/staff/clients/[id]/employees/new': toWritersWithId,
    '/[base]/[lang]/staff/clients/[id]/employees/[employeeId]': toStaffWithId,
  },
  inMissingSections: [
    '/[base]/[lang]/actions/service-request/employees',
    '/[base]/[lang]/actions/service-request/employees/[employeeId]',
  ],
  placeholders: { employeeId: 'employee_0' },
  things: {
    kinds: { employee: 'employee' },
    make: async ({ staff, otherStaff, clients }) => ({
      employee: await makeEmployees(staff, otherStaff, clients),
    }),
  },
  keys: { employees: 'employee_id' },
  fuzz: {
    prepare: async ({ sam, clientA }) => {
      const { id } = await addEmployee(sam, clientA, {
        name: 'Employee',
        cpf: '09448224605',
        hiredOn: '2021-03-10',
      });
      return {
        only: {
          'GET /api/br-payroll/v1/employees/{id}': [id],
          'GET /api/br-payroll/v1/employees/{id}/vacation-periods': [id],
          'PATCH /api/br-payroll/v1/employees/{id}': [id],
        },
      };
    },
    notHere: {
      'POST /api/br-payroll/v1/clients/{clientId}/employees': 'a CPF seldom fits by chance',
      'PUT /api/br-payroll/v1/clients/{clientId}/employees':
        'a list of anything is seldom a list of employees',
      'PATCH /api/br-payroll/v1/employees/{id}': 'versions seldom fit by chance',
    },
  },
};

/** An employee of each client, and one that was removed. */
async function makeEmployees(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const add = async (by: Actor, { id: clientId, papers }: ClientOfWorld): Promise<string> => {
    const name = `Employee of ${papers.Folder.name}`;
    return (await addEmployee(by, clientId, { name, cpf: '09448224605', hiredOn: '2021-03-10' })).id;
  };
  const removed = await add(staff, clients.own);
  const [added] = await changesOf(staff, removed);
  await undoChange(staff, added?.id ?? '');
  return {
    own: live(await add(staff, clients.own), 'own'),
    sibling: live(await add(staff, clients.sibling), 'sibling'),
    'staff only': live(await add(staff, clients['staff only']), 'staff only'),
    'other firm': live(await add(otherStaff, clients['other firm']), 'other firm'),
    removed: { id: removed, state: 'deleted', client: 'own' },
    ...noIds('employee'),
  };
}
