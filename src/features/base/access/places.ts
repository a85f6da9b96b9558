import type { AccessControl, Flag, Permission } from '#features/base/people/people.ts';

/*
 * Where each control, permission and flag of the spec is enforced. `now` is enforced today, in the page and
 * on the server, and says where; `later` belongs to a feature that does not exist yet; `never` controls
 * something this portal does not have. A missing name does not compile; tests/features/access/places.test.ts
 * tests each `now`.
 */

/**
 * Features that do not exist yet, by the folder that each will have: once it exists, the test asks where its
 * controls are enforced.
 */
type PlannedFeature = 'issues' | 'data-rooms';

type Place = { now: string } | { later: PlannedFeature } | { never: string };

export const PLACES: Readonly<Record<AccessControl | Permission | Flag, Place>> = {
  HideDashboards: { now: 'the home page and its tab; src/routes.ts' },
  HideTasks: { now: 'the tasks page and its tab; src/routes.ts' },
  HideActions: { now: 'the actions pages, their tab and their call; src/routes.ts' },
  HideEsignTask: { now: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts' },
  HideInvoiceTask: { now: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts' },
  HideDocRequestTask: {
    now: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts',
  },
  HideMessages: {
    now: 'messages to the firm, page and calls; src/features/clients/client-messages/scope.server.ts',
  },
  HideDocsFlatToggle: { now: 'the list without folders; src/features/documents/folders/tree.ts' },
  HideScanFromDevice: {
    now: 'scanning with the camera, page and call; src/features/documents/scanner/scanner.server.ts',
  },
  HideWelcomeModal: { now: 'the first steps on the home page; src/features/office/welcome/' },
  HideHelp: { now: 'the help menu of the header; src/layouts/HelpMenu.astro' },
  HideDiagnosticTool: { now: 'reporting a problem, in the help menu; src/layouts/HelpMenu.astro' },
  ShowClientNickname: {
    now: 'nicknames in lists of clients, and setting one; src/features/clients/clients/clients.server.ts',
  },
  AddFolder: { now: 'making a folder; src/features/documents/folders/folders.server.ts' },
  DocumentDeepLink: { now: 'links to one document; src/pages/[base]/[lang]/documents/' },
  TaskDeepLink: { never: 'every task is a page with an address of its own' },
  ShowClientDocsReadToggle: {
    now: 'the filter of unread documents and marking them, page and call; src/features/documents/documents/reading.server.ts',
  },
  DocumentsParentID: { now: 'documents by folder instead of all; src/features/documents/folders/tree.ts' },
  ContainerTreeTraversal: {
    now: 'all containers instead of the roots; src/features/documents/folders/tree.ts',
  },
  DocumentsTreeTraversal: {
    now: 'the documents below a folder with its own; src/features/documents/folders/tree.ts',
  },
  DisableDocumentsLazyLoading: {
    now: 'every level of folders in the page; src/features/documents/folders/tree.ts',
  },
  DisableProductInsight: {
    now: 'no load times are measured; src/features/base/logging/sampling.server.ts',
  },
  DisablePendo: { now: 'no load times are measured; src/features/base/logging/sampling.server.ts' },
  Revert2OldPreview: { now: 'documents are downloaded, not shown; src/features/documents/viewer/viewer.ts' },
  DisplayCOVIDAlert: { now: 'the announcement of the firm; src/layouts/announcement.server.ts' },
  ConfigureAccountInformation: {
    now: 'changing the own profile; src/features/base/people/profile.server.ts',
  },
  ShowClientCenterNewTaskList: { now: 'the side menu on the tasks page; src/layouts/Tabs.astro' },
  ClientCenterVnext: { now: 'every part besides documents; whyNoPart' },
  DefaultClient: { now: 'every page and call for contacts; src/routes.ts' },
  DefaultStaff: { now: 'every page and call for staff; src/routes.ts' },
  ccVnext: { now: 'every part besides documents; whyNoPart' },
  Internal: { now: 'the debug flags in the browser; src/layouts/Debug.astro' },
  CurrentDevelopment: { never: 'no part of this portal is shown to a few people first' },
  DebugMode: { now: 'the debug flags in the browser; src/layouts/Debug.astro' },
  ForceDataRoom: { later: 'data-rooms' },
  ClientFlow: { later: 'data-rooms' },
  AllDocsOnly: { now: 'every part besides documents; whyNoPart' },
  ShowPreviewB4CCViewer: {
    now: 'the rights of contributors; src/features/documents/folders/permissions.server.ts; the facts before the viewer; src/features/documents/viewer/viewer.ts',
  },
  ViewAs: { now: 'viewing as a contact, page and call; src/routes.ts' },
  ManageContacts: { now: 'invitations and rescue codes; src/routes.ts' },
  ManageFirm: { now: 'access and flags; src/routes.ts' },
  ManageClients: { now: 'pages to create, change and import clients; src/routes.ts' },
  Publish: { now: 'every write of staff but to their own account; src/routes.ts' },
  ManifestReview: {
    now: 'marking invoices of others, page and call; src/features/brazil/invoice-manifest/access.server.ts',
  },
  taskTools: { never: 'this portal has no tools for testing tasks' },
  internalTools: { never: 'this portal has no tools for its developers' },
  invoiceTask: { now: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts' },
  feedbackRequest: {
    now: 'feedback about no help article, page and menu; src/features/content/feedback/feedback.server.ts',
  },
  homePage: { now: 'the home page and its tab; src/routes.ts' },
  simulations: { now: 'the action service-request/mocks' },
  BoxE: { now: 'the actions of box-e' },
  Reports: { now: 'the actions of br-reports' },
  'NfeManifest.Disabled': { now: 'the actions of nfe-manifest' },
  'NfeManifest.Denied': { now: 'the actions of nfe-manifest' },
  'ServiceRequest.Denied': { now: 'the actions of service-request' },
  'ServiceRequest.Employee': { now: 'the action service-request/employee-registration' },
  'ServiceRequest.Partner': { now: 'the action service-request/partner-registration' },
  'ServiceRequest.Intern': { now: 'the action service-request/intern-registration' },
};
