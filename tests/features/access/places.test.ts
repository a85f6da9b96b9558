import { createTask } from '#features/tasks/tasks/creating.server.ts';
import type { TaskType } from '#features/tasks/tasks/tasks.ts';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { reviewsInvoices } from '#features/brazil/invoice-manifest/access.server.ts';
import { mayMeasure } from '#features/base/logging/sampling.server.ts';
import { enforcedSettings, NOT_ENFORCED } from '#features/base/access/contributions.server.ts';
import { actionsOf } from '#features/base/actions/actions.ts';
import { seesNicknames } from '#features/clients/clients/clients.server.ts';
import { mayGiveGeneralFeedback } from '#features/content/feedback/feedback.server.ts';
import { loadOf } from '#features/documents/folders/tree.ts';
import { accessFrom, accessNames } from '#features/base/people/access-settings.server.ts';
import { FLAGS, mayDebug, type AccessSetting, type Actor } from '#features/base/people/people.ts';
import { offersSteps } from '#features/office/welcome/first-steps.server.ts';
import { asksFirst, opensViewer } from '#features/documents/viewer/viewer.ts';
import { API_ROUTES } from '../../../src/api.server.ts';
import { PAGES, denialReason } from '../../../src/routes.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { uploadAs, makeCast } from '../../support/cast.ts';

/*
 * Every control, permission and flag (threat-model.md T11): a feature says where it is enforced (`access`),
 * and each one enforced today is tested here, both open and closed. What only a page shows is tested in a
 * browser.
 */

const { ada, sam, clientA, projectA } = await makeCast();
const document = await uploadAs(sam, projectA, 'To look at.pdf', 'papers');
const root = path.join(import.meta.dirname, '../../..');

type Setting = readonly [kind: AccessSetting['kind'], name: string, granted: boolean];
/** An access with everything open. */
const ALL: readonly Setting[] = [
  ...Object.keys(FLAGS).map((name) => ['flag', name, !/\.(?:Denied|Disabled)$/.test(name)] as const),
  ['permission', 'ManageFirm', true],
];
const withAccess = (actor: Actor, ...changes: Setting[]): Actor => ({
  ...actor,
  access: accessFrom(
    actor.role,
    [...ALL, ...changes].map(([kind, name, granted]) => ({ kind, name, granted })),
  ),
});

const sessionOf = (actor: Actor) => ({
  id: 's',
  actor,
  expiresAt: 0,
  amr: [],
  authenticatedAt: 0,
  termsDue: false,
});
const page =
  (pattern: string) =>
  (actor: Actor): boolean =>
    denialReason(PAGES[`/[base]/[lang]/${pattern}`] ?? { who: 'demo' }, sessionOf(actor), {
      method: 'GET',
      isDemo: false,
    }) === undefined;
const call =
  (method: string, address: string, json?: unknown) =>
  async (actor: Actor): Promise<boolean> => {
    const { status } = await apiAs(actor)(method, address, json === undefined ? {} : { json });
    if (status !== 200 && status !== 403) throw new Error(`${method} ${address} answers ${status}`);
    return status === 200;
  };
const routeOf = (method: string, address: string): (typeof API_ROUTES)[number] => {
  const found = API_ROUTES.find((route) => route.method === method && route.path === address);
  if (!found) throw new Error(`There is no ${method} ${address}`);
  return found;
};
const action =
  (section: string, name?: string) =>
  (actor: Actor): boolean =>
    actionsOf(actor.access).some(
      (one) =>
        one.section === section && (name === undefined || one.actions.some((mine) => mine.action === name)),
    );
let folders = 0;
const newFolder = (actor: Actor) =>
  call('POST', '/api/storage/v1/folders', {
    name: `Folder ${(folders += 1)}`,
    parentId: clientA,
    parentType: 'Client',
  })(actor);
/**
 * The API call without a file, which answers if the feature is open; the page is tested in e2e/scan.spec.ts.
 */
const scan = async (actor: Actor): Promise<boolean> =>
  (await apiAs(actor)('POST', `/api/storage/v1/clients/${clientA}/scans`, { form: filesForm() })).status !==
  403;

interface Check {
  who?: Actor;
  kind: AccessSetting['kind'];
  /** The value that closes the feature; the opposite value opens it. */
  closes: boolean;
  /** Other settings that would hide the difference. */
  besides?: Setting[];
  is: ((actor: Actor) => boolean | Promise<boolean>)[];
}

const CALLS = [
  call('GET', '/api/client-center/v1/clients/'),
  call('GET', '/api/client-center/v1/flags'),
  call('GET', '/api/storage/v1/documents/constraints'),
];
/** Whether a task of this type is among the tasks of the client. */
const tasksOfType =
  (type: TaskType) =>
  async (actor: Actor): Promise<boolean> => {
    await createTask(sam, { clientId: clientA, type }, { isPrepared: true });
    const answer = await apiAs(actor)('GET', `/api/client-center/v3/tasks/clients/${clientA}`);
    const { data } = (await answer.json()) as { data: { type: TaskType }[] };
    return data.some((task) => task.type === type);
  };
const CHECKS: Readonly<Record<string, Check>> = {
  HideEsignTask: { kind: 'control', closes: true, is: [tasksOfType('esign')] },
  HideInvoiceTask: { kind: 'control', closes: true, is: [tasksOfType('payment_request')] },
  HideDocRequestTask: { kind: 'control', closes: true, is: [tasksOfType('document_request')] },
  invoiceTask: { kind: 'flag', closes: false, is: [tasksOfType('payment_request')] },
  HideWelcomeModal: { kind: 'control', closes: true, is: [(actor) => offersSteps(sessionOf(actor))] },
  HideDashboards: { kind: 'control', closes: true, is: [page('home')] },
  HideTasks: { kind: 'control', closes: true, is: [page('tasks')] },
  HideMessages: { kind: 'control', closes: true, is: [page('messages')] },
  HideActions: {
    kind: 'control',
    closes: true,
    is: [
      page('actions'),
      page('actions/[section]/[action]'),
      call('GET', '/api/client-center/v1/actions'),
      action('box-e'),
    ],
  },
  HideScanFromDevice: { kind: 'control', closes: true, is: [scan] },
  AddFolder: { kind: 'control', closes: false, is: [newFolder] },
  HideDocsFlatToggle: { kind: 'control', closes: true, is: [({ access }) => loadOf(access).mayBeFlat] },
  ShowClientDocsReadToggle: {
    kind: 'control',
    closes: false,
    is: [
      ({ access }) => loadOf(access).filtersReading,
      call('GET', `/api/storage/v1/containers/documents?clientId=${clientA}&readByClientUser=false`),
      call('PUT', '/api/storage/v1/documents/read', { documentIds: ['doc_none'], isRead: true }),
    ],
  },
  DocumentsParentID: { kind: 'control', closes: false, is: [({ access }) => loadOf(access).byFolder] },
  ContainerTreeTraversal: {
    kind: 'control',
    closes: false,
    is: [({ access }) => loadOf(access).allLevels, ({ access }) => loadOf(access).orphans],
  },
  DocumentsTreeTraversal: { kind: 'control', closes: false, is: [({ access }) => loadOf(access).below] },
  DisableDocumentsLazyLoading: {
    kind: 'control',
    closes: false,
    is: [({ access }) => loadOf(access).allLevels],
  },
  Revert2OldPreview: {
    kind: 'control',
    closes: true,
    is: [
      ({ access }) => opensViewer(access),
      call('GET', `/api/storage/v1/documents/${document.id}/pages/1?width=700`),
    ],
  },
  ShowPreviewB4CCViewer: {
    kind: 'permission',
    closes: true,
    is: [newFolder, ({ access }) => !asksFirst(access)],
  },
  ClientCenterVnext: {
    kind: 'control',
    closes: false,
    besides: [['permission', 'ccVnext', false]],
    is: [page('home'), page('tasks'), page('actions'), call('GET', '/api/client-center/v1/actions')],
  },
  ccVnext: {
    kind: 'permission',
    closes: false,
    is: [page('home'), page('tasks'), page('actions'), call('GET', '/api/client-center/v1/actions')],
  },
  DefaultClient: {
    kind: 'permission',
    closes: false,
    is: [page('documents'), page('clients'), page('tasks'), page('mobile'), ...CALLS, newFolder],
  },
  DefaultStaff: {
    who: sam,
    kind: 'permission',
    closes: false,
    is: [page('documents'), page('staff/access'), ...CALLS, newFolder],
  },
  Internal: { kind: 'permission', closes: false, is: [({ access }) => mayDebug(access)] },
  DebugMode: { kind: 'permission', closes: false, is: [({ access }) => mayDebug(access)] },
  AllDocsOnly: {
    kind: 'permission',
    closes: true,
    is: [page('home'), page('tasks'), page('actions'), call('GET', '/api/client-center/v1/actions')],
  },
  ManageFirm: {
    who: sam,
    kind: 'permission',
    closes: false,
    is: [page('staff/access'), call('PUT', '/api/client-center/v1/flags/taskTools', { value: false })],
  },
  ViewAs: {
    who: sam,
    kind: 'permission',
    closes: false,
    is: [
      page('staff/view-as/[id]'),
      (actor) =>
        denialReason(routeOf('post', '/api/security/v1/view-as'), sessionOf(actor), {
          method: 'POST',
          isDemo: false,
        }) === undefined,
    ],
  },
  ManageContacts: {
    who: sam,
    kind: 'permission',
    closes: false,
    is: [page('staff/people/new'), page('staff/rescue'), call('GET', '/api/security/v1/invitations')],
  },
  ManageClients: {
    who: sam,
    kind: 'permission',
    closes: false,
    is: [page('staff/clients/new'), page('staff/imports')],
  },
  Publish: {
    who: sam,
    kind: 'permission',
    closes: false,
    is: [
      newFolder,
      (actor) =>
        denialReason(PAGES['/[base]/[lang]/documents/delete'] ?? { who: 'demo' }, sessionOf(actor), {
          method: 'POST',
          isDemo: false,
        }) === undefined,
    ],
  },
  ManifestReview: {
    kind: 'permission',
    closes: false,
    besides: [['flag', 'NfeManifest.Disabled', false]],
    is: [reviewsInvoices],
  },
  ShowClientNickname: { kind: 'control', closes: false, is: [seesNicknames] },
  DisableProductInsight: { kind: 'control', closes: true, is: [({ access }) => mayMeasure(access)] },
  DisablePendo: { kind: 'control', closes: true, is: [({ access }) => mayMeasure(access)] },
  ConfigureAccountInformation: {
    kind: 'control',
    closes: true,
    is: [
      call('PUT', '/api/profile/v1/users/current', {
        prefix: '',
        firstName: 'Ada',
        middleName: '',
        lastName: 'Amber',
        suffix: '',
        language: 'en-us',
      }),
    ],
  },
  feedbackRequest: { kind: 'flag', closes: false, is: [mayGiveGeneralFeedback] },
  homePage: { kind: 'flag', closes: false, is: [page('home')] },
  simulations: { kind: 'flag', closes: false, is: [action('service-request', 'mocks')] },
  BoxE: {
    kind: 'flag',
    closes: false,
    is: [action('box-e'), action('br-reports', 'stored-documents-report')],
  },
  Reports: { kind: 'flag', closes: false, is: [action('br-reports')] },
  'NfeManifest.Disabled': { kind: 'flag', closes: true, is: [action('nfe-manifest')] },
  'NfeManifest.Denied': { kind: 'flag', closes: true, is: [action('nfe-manifest')] },
  'ServiceRequest.Denied': { kind: 'flag', closes: true, is: [action('service-request')] },
  'ServiceRequest.Employee': {
    kind: 'flag',
    closes: false,
    is: [action('service-request', 'employee-registration')],
  },
  'ServiceRequest.Partner': {
    kind: 'flag',
    closes: false,
    is: [action('service-request', 'partner-registration')],
  },
  'ServiceRequest.Intern': {
    kind: 'flag',
    closes: false,
    is: [action('service-request', 'intern-registration')],
  },
};
/** What only pages show, tested in these browser tests. */
const IN_A_BROWSER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'DocumentDeepLink',
      'ShowClientCenterNewTaskList',
      'HideDashboards',
      'HideTasks',
      'HideActions',
      'DebugMode',
    ].map((name) => [name, 'access']),
  ),
  ...Object.fromEntries(['HideHelp', 'DisplayCOVIDAlert'].map((name) => [name, 'look'])),
  ...Object.fromEntries(['HideDiagnosticTool'].map((name) => [name, 'issue-reports'])),
};

const ENFORCED: readonly string[] = enforcedSettings().map(({ name }) => name);

test('every control, permission and flag is enforced by one feature, or has a reason why not', () => {
  expect(
    [...ENFORCED, ...Object.keys(NOT_ENFORCED)].toSorted(),
    'Say in `access` of the feature.server.ts of one feature where it is enforced',
  ).toEqual([...accessNames('control'), ...accessNames('permission'), ...accessNames('flag')].toSorted());
});

test('where a control, permission or flag is enforced is a file that exists', () => {
  const missing = enforcedSettings().flatMap(({ name, place }) =>
    [...place.matchAll(/\bsrc\/[\w./[\]-]+/g)]
      .filter(([file]) => !fs.existsSync(path.join(root, file)))
      .map(([file]) => `${name}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test('everything enforced today is tested, here or in a browser', () => {
  expect(
    ENFORCED.filter((name) => !(name in CHECKS) && !(name in IN_A_BROWSER)),
    'Try these in CHECKS, or in a journey named in IN_A_BROWSER.',
  ).toEqual([]);
  expect(
    Object.entries(IN_A_BROWSER).filter(
      ([name, spec]) =>
        !fs.readFileSync(path.join(root, `e2e/${spec}.spec.ts`), 'utf8').includes(`'${name}'`),
    ),
    'The journey named beside these does not try them.',
  ).toEqual([]);
  expect(
    Object.keys(CHECKS).filter((name) => !ENFORCED.includes(name)),
    'These are tried, but no feature says that it enforces them.',
  ).toEqual([]);
});

test('a control that waits for a feature is enforced once the feature exists', () => {
  const awake = (exists: (folder: string) => boolean): string[] =>
    Object.entries(NOT_ENFORCED)
      .filter(([, reason]) => reason && 'later' in reason && exists(reason.later))
      .map(([name]) => name);
  const waiting = awake(() => true);
  expect(waiting).toEqual(expect.arrayContaining(['ForceDataRoom', 'ClientFlow']));
  const found = awake((folder) => fs.existsSync(path.join(root, 'src/features', folder)));
  expect(
    found,
    'Their feature exists now. Enforce them there, say so in `access` of its feature.server.ts, and try them here.',
  ).toEqual([]);
});

describe.each(Object.entries(CHECKS))('%s', (name, { who = ada, kind, closes, besides = [], is }) => {
  test(`${name} closes its features when ${closes ? 'granted' : 'not granted'}, and only then`, async () => {
    const [open, closed] = [
      withAccess(who, ...besides, [kind, name, !closes]),
      withAccess(who, ...besides, [kind, name, closes]),
    ];
    for (const [i, look] of is.entries())
      expect([i, await look(open), await look(closed)]).toEqual([i, true, false]);
  });
});

test('without the right to enter the portal only the calls that end the session answer', () => {
  const outside = sessionOf(withAccess(ada, ['permission', 'DefaultClient', false]));
  const answering = [
    ...API_ROUTES.map((route) => ({ name: `${route.method} ${route.path}`, ...route })),
    ...Object.entries(PAGES).map(([name, rule]) => ({ name, ...rule })),
  ].filter(
    (rule) =>
      rule.who !== 'visitor' && denialReason(rule, outside, { method: 'GET', isDemo: false }) === undefined,
  );
  expect(
    answering.every(({ beforeTerms }) => beforeTerms),
    `${answering.map(({ name }) => name).join(', ')}: only what also answers before the terms may`,
  ).toBe(true);
  expect(answering.map(({ name }) => name)).toContain('delete /api/security/v1/session');
});
