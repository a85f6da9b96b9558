import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { establishmentsUnited } from '#features/brazil/establishments/events.server.ts';
import { db } from '#platform/database/database.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { employeesApi } from './api.server.ts';
import { exportedEmployees } from './exporting.server.ts';
import { employeeRows } from './import-rows.server.ts';
import { followEstablishment, uniteEmployees } from './merging.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/employees.json';

const auditActions = {
  'employee.add': { text: text('employees', 'didAdd') },
  'employee.change': { text: text('employees', 'didChange') },
  'employee.remove': { text: text('employees', 'didRemove') },
  'employee.read': { text: text('employees', 'didRead') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    employees: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    employees: typeof messages;
  }
}

const path = '/api/br-payroll/v1';
const readers = { who: 'signed-in' } as const;
const keepers = { who: 'staff', permission: 'Publish' } as const;

export const employees = defineFeature<FeatureApi>({
  name: 'employees',
  tables,
  auditActions,
  exports: exportedEmployees,
  importKinds: { employees: employeeRows },
  names: {
    employee: (ids) =>
      db()
        .selectFrom('employees')
        .select(['employee_id as id', 'name'])
        .where('employee_id', 'in', ids)
        .execute(),
  },
  api: {
    app: employeesApi,
    routes: [
      { method: 'get', path: `${path}/clients/{clientId}/employees`, ...readers },
      { method: 'post', path: `${path}/clients/{clientId}/employees`, ...keepers },
      { method: 'put', path: `${path}/clients/{clientId}/employees`, ...keepers },
      { method: 'get', path: `${path}/employees/tooltips`, ...readers },
      { method: 'get', path: `${path}/employees/{id}`, ...readers },
      { method: 'patch', path: `${path}/employees/{id}`, ...keepers },
      { method: 'get', path: `${path}/employees/{id}/vacation-periods`, ...readers },
    ],
  },
  subscriptions: [on(establishmentsUnited, followEstablishment), on(clientMerged, uniteEmployees)],
});
