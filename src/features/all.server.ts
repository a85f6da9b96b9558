import { accessReview } from '#features/clients/access-review/feature.server.ts';
import { access } from '#features/base/access/feature.server.ts';
import { actions } from '#features/base/actions/feature.server.ts';
import { addresses } from '#features/base/addresses/feature.server.ts';
import { antivirus } from '#features/documents/antivirus/feature.server.ts';
import { batches } from '#features/base/batches/feature.server.ts';
import { clearanceCertificates } from '#features/brazil/clearance-certificates/feature.server.ts';
import { clientMessages } from '#features/clients/client-messages/feature.server.ts';
import { threads } from '#features/clients/threads/feature.server.ts';
import { clearancePassport } from '#features/brazil/clearance-passport/feature.server.ts';
import { payrollEntries } from '#features/brazil/payroll-entries/feature.server.ts';
import { clients } from '#features/clients/clients/feature.server.ts';
import { comments } from '#features/documents/comments/feature.server.ts';
import { credentials } from '#features/identity/credentials/feature.server.ts';
import { dataExports } from '#features/office/data-exports/feature.server.ts';
import { demo } from '#features/demo/demo/feature.server.ts';
import { directory } from '#features/clients/directory/feature.server.ts';
import { documentReview } from '#features/tasks/document-review/feature.server.ts';
import { documents } from '#features/documents/documents/feature.server.ts';
import { downloads } from '#features/documents/downloads/feature.server.ts';
import { employees } from '#features/brazil/employees/feature.server.ts';
import { workCalendars } from '#features/base/work-calendars/feature.server.ts';
import { establishments } from '#features/brazil/establishments/feature.server.ts';
import { externalSignIn } from '#features/identity/external-sign-in/feature.server.ts';
import { feedback } from '#features/content/feedback/feature.server.ts';
import { filing } from '#features/documents/filing/feature.server.ts';
import { firstDay } from '#features/base/first-day/feature.server.ts';
import { firms } from '#features/base/firms/feature.server.ts';
import { folderTemplates } from '#features/documents/folder-templates/feature.server.ts';
import { fiscalXml } from '#features/documents/fiscal-xml/feature.server.ts';
import { folders } from '#features/documents/folders/feature.server.ts';
import { grids } from '#features/base/grids/feature.server.ts';
import { help } from '#features/content/help/feature.server.ts';
import { home } from '#features/office/home/feature.server.ts';
import { inbox } from '#features/office/inbox/feature.server.ts';
import { imports } from '#features/office/imports/feature.server.ts';
import { invitations } from '#features/identity/invitations/feature.server.ts';
import { issueReports } from '#features/clients/issue-reports/feature.server.ts';
import { logging } from '#features/base/logging/feature.server.ts';
import { mails } from '#features/clients/mails/feature.server.ts';
import { mailTexts } from '#features/clients/mail-texts/feature.server.ts';
import { merging } from '#features/documents/merging/feature.server.ts';
import { live } from '#features/office/live/feature.server.ts';
import { notifications } from '#features/office/notifications/feature.server.ts';
import { overview } from '#features/office/overview/feature.server.ts';
import { payments } from '#features/payments/payments/feature.server.ts';
import { news } from '#features/content/news/feature.server.ts';
import { noticeRecipients } from '#features/clients/notice-recipients/feature.server.ts';
import { serviceRequestDesk } from '#features/brazil/service-request-desk/feature.server.ts';
import { serviceRequests } from '#features/brazil/service-requests/feature.server.ts';
import { payrollSimulations } from '#features/brazil/payroll-simulations/feature.server.ts';
import { fiscalDocuments } from '#features/brazil/fiscal-documents/feature.server.ts';
import { fiscalIntake } from '#features/brazil/fiscal-intake/feature.server.ts';
import { digitalCertificates } from '#features/brazil/digital-certificates/feature.server.ts';
import { invoiceManifest } from '#features/brazil/invoice-manifest/feature.server.ts';
import { reports } from '#features/brazil/reports/feature.server.ts';
import { people } from '#features/base/people/feature.server.ts';
import { publishing } from '#features/documents/publishing/feature.server.ts';
import { answerEditor } from '#features/tasks/answer-editor/feature.server.ts';
import { questionnaires } from '#features/tasks/questionnaires/feature.server.ts';
import { push } from '#features/office/push/feature.server.ts';
import { reading } from '#features/base/reading/feature.server.ts';
import { offline } from '#features/office/offline/feature.server.ts';
import { receipts } from '#features/base/receipts/feature.server.ts';
import { receiptLists } from '#features/documents/receipt-lists/feature.server.ts';
import { recovery } from '#features/identity/recovery/feature.server.ts';
import { retention } from '#features/documents/retention/feature.server.ts';
import { scanner } from '#features/documents/scanner/feature.server.ts';
import { seals } from '#features/documents/seals/feature.server.ts';
import { search } from '#features/office/search/feature.server.ts';
import { secondFactors } from '#features/identity/second-factors/feature.server.ts';
import { sessions } from '#features/identity/sessions/feature.server.ts';
import { settings } from '#features/office/settings/feature.server.ts';
import { sentShares } from '#features/sharing/sent-shares/feature.server.ts';
import { sharing } from '#features/sharing/sharing/feature.server.ts';
import { signing } from '#features/signing/signing/feature.server.ts';
import { signingRequests } from '#features/signing/signing-requests/feature.server.ts';
import { signIn } from '#features/identity/sign-in/feature.server.ts';
import { staff } from '#features/office/staff/feature.server.ts';
import { taxCalendar } from '#features/content/tax-calendar/feature.server.ts';
import { taskAnswers } from '#features/tasks/task-answers/feature.server.ts';
import { taskBatches } from '#features/tasks/task-batches/feature.server.ts';
import { taskLists } from '#features/tasks/task-lists/feature.server.ts';
import { taskMessages } from '#features/tasks/task-messages/feature.server.ts';
import { taskReminders } from '#features/tasks/task-reminders/feature.server.ts';
import { taskReview } from '#features/tasks/task-review/feature.server.ts';
import { taskSubmissions } from '#features/tasks/task-submissions/feature.server.ts';
import { taskTemplates } from '#features/tasks/task-templates/feature.server.ts';
import { welcome } from '#features/office/welcome/feature.server.ts';
import { practice } from '#features/demo/practice/feature.server.ts';
import { taskLinks } from '#features/tasks/task-links/feature.server.ts';
import { tasks } from '#features/tasks/tasks/feature.server.ts';
import { trash } from '#features/documents/trash/feature.server.ts';
import { uploads } from '#features/documents/uploads/feature.server.ts';
import { viewer } from '#features/documents/viewer/feature.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { Feature } from '#platform/runtime/feature.server.ts';
import { basics, platform } from '#platform/runtime/platform.server.ts';

/** The features of the portal, each after those that it depends on. src/app.server.ts runs them. */
export const FEATURES: readonly Feature<FeatureApi>[] = [
  basics,
  firms,
  people,
  actions,
  addresses,
  logging,
  reading,
  issueReports,
  help,
  feedback,
  access,
  grids,
  receipts,
  batches,
  sessions,
  credentials,
  secondFactors,
  invitations,
  clients,
  workCalendars,
  establishments,
  employees,
  noticeRecipients,
  directory,
  firstDay,
  recovery,
  externalSignIn,
  signIn,
  folders,
  documents,
  merging,
  antivirus,
  uploads,
  seals,
  receiptLists,
  payrollSimulations,
  trash,
  filing,
  folderTemplates,
  scanner,
  downloads,
  comments,
  fiscalXml,
  fiscalDocuments,
  fiscalIntake,
  digitalCertificates,
  invoiceManifest,
  viewer,
  publishing,
  clearanceCertificates,
  sharing,
  clearancePassport,
  sentShares,
  questionnaires,
  answerEditor,
  tasks,
  taskLists,
  taskSubmissions,
  taskAnswers,
  taskReview,
  serviceRequests,
  payrollEntries,
  reports,
  documentReview,
  payments,
  signing,
  taskTemplates,
  taskLinks,
  mails,
  mailTexts,
  taskReminders,
  serviceRequestDesk,
  threads,
  clientMessages,
  taskMessages,
  taskBatches,
  signingRequests,
  accessReview,
  news,
  taxCalendar,
  live,
  inbox,
  notifications,
  offline,
  push,
  home,
  welcome,
  overview,
  staff,
  imports,
  dataExports,
  retention,
  settings,
  search,
  demo,
  practice,
  platform,
];
