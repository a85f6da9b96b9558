import { expect, test } from 'vitest';
import { actionsOf, findAction, offeredActionsOf, SECTIONS } from '#features/base/actions/actions.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import { FLAGS, type Access, type AccessSetting } from '#features/base/people/people.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';

const { ada } = await makeCast();

/** The access of somebody for whom every area is enabled, except for these changes. */
function access(...changes: (readonly [AccessSetting['kind'], string, boolean])[]): Access {
  const on = Object.keys(FLAGS).map((name) => ['flag', name, !/\.(?:Denied|Disabled)$/.test(name)] as const);
  return accessFrom(
    undefined,
    [...on, ...changes].map(([kind, name, granted]) => ({ kind, name, granted })),
  );
}
const addresses = (one: Access): string[] =>
  actionsOf(one).flatMap(({ section, actions }) => actions.map(({ action }) => `${section}/${action}`));

test('the actions are those of the spec', () => {
  expect(
    SECTIONS.map(({ section, actions }) => `${section}: ${actions.map(({ action }) => action).join(', ')}`),
  ).toEqual([
    'service-request: payroll-entries, intern-registration, partner-registration, vacation-calculation, vacation-notice, termination-notice, termination-calculation, mocks, employee-leave, general-requests, employee-registration',
    'box-e: cfe-storage, cte-storage, nfce-storage, nfe-storage, xml-storage',
    'br-reports: stored-documents, payroll-entries, payroll-registrations, stored-documents-report',
    'nfe-manifest: invoice-processing',
  ]);
  expect(addresses(access())).toHaveLength(21);
});

test('what leads anywhere is offered, and nothing else', () => {
  const offered = (one: Access) =>
    offeredActionsOf(one).flatMap(({ section, actions }) =>
      actions.map(({ action }) => `${section}/${action}`),
    );
  const leading = addresses(access()).filter((one) =>
    /^(?:service-request|box-e|nfe-manifest|br-reports)\//.test(one),
  );
  expect(offered(access())).toEqual(leading);
  expect(leading).toHaveLength(21);
  expect(offered(access(['flag', 'ServiceRequest.Denied', true], ['flag', 'BoxE', false]))).toEqual([
    'br-reports/stored-documents',
    'nfe-manifest/invoice-processing',
  ]);
  expect(offered(access(['flag', 'simulations', false]))).not.toContain('service-request/mocks');
  expect(findAction(access(), 'service-request', 'vacation-notice')).toMatchObject({
    isOpen: true,
    leadsTo: 'request',
  });
  expect(findAction(access(), 'service-request', 'mocks')).toMatchObject({
    isOpen: true,
    leadsTo: 'simulations',
  });
  expect(findAction(access(), 'box-e', 'nfe-storage')).toMatchObject({ isOpen: true, leadsTo: 'archive' });
  expect(findAction(access(), 'nfe-manifest', 'invoice-processing')).toMatchObject({ leadsTo: 'manifest' });
  expect(findAction(access(), 'br-reports', 'stored-documents')).toMatchObject({ leadsTo: 'report' });
  expect(findAction(access(), 'br-reports', 'payroll-entries')).toMatchObject({ leadsTo: 'report' });
});

test('nobody has an action until the firm enables its area', () => {
  expect(addresses(accessFrom(undefined, []))).toEqual([]);
});

test.each([
  ['control', 'HideActions', true],
  ['permission', 'AllDocsOnly', true],
  ['permission', 'ccVnext', false],
] as const)('nobody has an action with the %s %s set to %s', (kind, name, granted) => {
  expect(addresses(access([kind, name, granted]))).toEqual([]);
  expect(findAction(access([kind, name, granted]), 'box-e', 'nfe-storage')?.isOpen).toBe(false);
});

test.each([
  [
    'ServiceRequest.Denied',
    true,
    [
      ...SECTIONS[0].actions.map(({ action }) => `service-request/${action}`),
      'br-reports/payroll-entries',
      'br-reports/payroll-registrations',
    ],
  ],
  [
    'BoxE',
    false,
    [...SECTIONS[1].actions.map(({ action }) => `box-e/${action}`), 'br-reports/stored-documents-report'],
  ],
  ['Reports', false, SECTIONS[2].actions.map(({ action }) => `br-reports/${action}`)],
  ['NfeManifest.Disabled', true, ['nfe-manifest/invoice-processing']],
  ['NfeManifest.Denied', true, ['nfe-manifest/invoice-processing']],
  ['ServiceRequest.Employee', false, ['service-request/employee-registration']],
  ['ServiceRequest.Partner', false, ['service-request/partner-registration']],
  ['ServiceRequest.Intern', false, ['service-request/intern-registration']],
  ['simulations', false, ['service-request/mocks']],
] as const)('the flag %s set to %s removes exactly its own actions', (name, value, gone) => {
  const left = addresses(access(['flag', name, value]));
  expect(
    addresses(access())
      .filter((one) => !left.includes(one))
      .toSorted(),
  ).toEqual([...gone].toSorted());
});

test('an action that is not in the table does not exist', () => {
  for (const [section, action] of [
    ['box-e', 'mocks'],
    ['protocols', 'protocols'],
    ['service-request', ''],
    ['__proto__', 'toString'],
    ['', ''],
  ] as const)
    expect(findAction(access(), section, action)).toBeUndefined();
});

test('the call lists the available actions, and is refused to people who have none', async () => {
  const call = (one: Access) => apiAs({ ...ada, access: one })('GET', '/api/client-center/v1/actions');
  const answer = await call(
    access(['flag', 'Reports', false], ['flag', 'BoxE', false], ['flag', 'ServiceRequest.Denied', true]),
  );
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { sections: [{ type: 'nfe-manifest', actions: [{ type: 'invoice-processing' }] }] },
  ]);
  expect((await call(accessFrom(undefined, []))).status).toBe(403);
});
