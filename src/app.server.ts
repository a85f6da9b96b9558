import { accessReview } from '#features/access-review/feature.server.ts';
import { access } from '#features/access/feature.server.ts';
import { actions } from '#features/actions/feature.server.ts';
import { addresses } from '#features/addresses/feature.server.ts';
import { antivirus } from '#features/antivirus/feature.server.ts';
import { clients } from '#features/clients/feature.server.ts';
import { comments } from '#features/comments/feature.server.ts';
import { credentials } from '#features/credentials/feature.server.ts';
import { dataExports } from '#features/data-exports/feature.server.ts';
import { demo } from '#features/demo/feature.server.ts';
import { directory } from '#features/directory/feature.server.ts';
import { documentReview } from '#features/document-review/feature.server.ts';
import { documents } from '#features/documents/feature.server.ts';
import { downloads } from '#features/downloads/feature.server.ts';
import { externalSignIn } from '#features/external-sign-in/feature.server.ts';
import { filing } from '#features/filing/feature.server.ts';
import { firstDay } from '#features/first-day/feature.server.ts';
import { firms } from '#features/firms/feature.server.ts';
import { folderTemplates } from '#features/folder-templates/feature.server.ts';
import { folders } from '#features/folders/feature.server.ts';
import { grids } from '#features/grids/feature.server.ts';
import { home } from '#features/home/feature.server.ts';
import { inbox } from '#features/inbox/feature.server.ts';
import { imports } from '#features/imports/feature.server.ts';
import { invitations } from '#features/invitations/feature.server.ts';
import { logging } from '#features/logging/feature.server.ts';
import { mails } from '#features/mails/feature.server.ts';
import { merging } from '#features/merging/feature.server.ts';
import { payments } from '#features/payments/feature.server.ts';
import { people } from '#features/people/feature.server.ts';
import { publishing } from '#features/publishing/feature.server.ts';
import { questionnaires } from '#features/questionnaires/feature.server.ts';
import { receipts } from '#features/receipts/feature.server.ts';
import { recovery } from '#features/recovery/feature.server.ts';
import { retention } from '#features/retention/feature.server.ts';
import { scanner } from '#features/scanner/feature.server.ts';
import { seals } from '#features/seals/feature.server.ts';
import { secondFactors } from '#features/second-factors/feature.server.ts';
import { sessions } from '#features/sessions/feature.server.ts';
import { settings } from '#features/settings/feature.server.ts';
import { sharing } from '#features/sharing/feature.server.ts';
import { signing } from '#features/signing/feature.server.ts';
import { signingRequests } from '#features/signing-requests/feature.server.ts';
import { signIn } from '#features/sign-in/feature.server.ts';
import { staff } from '#features/staff/feature.server.ts';
import { taskAnswers } from '#features/task-answers/feature.server.ts';
import { taskBatches } from '#features/task-batches/feature.server.ts';
import { taskLists } from '#features/task-lists/feature.server.ts';
import { taskMessages } from '#features/task-messages/feature.server.ts';
import { taskReminders } from '#features/task-reminders/feature.server.ts';
import { taskReview } from '#features/task-review/feature.server.ts';
import { taskSubmissions } from '#features/task-submissions/feature.server.ts';
import { taskTemplates } from '#features/task-templates/feature.server.ts';
import { taskLinks } from '#features/task-links/feature.server.ts';
import { tasks } from '#features/tasks/feature.server.ts';
import { trash } from '#features/trash/feature.server.ts';
import { uploads } from '#features/uploads/feature.server.ts';
import { viewer } from '#features/viewer/feature.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import { compose, type Feature } from '#platform/feature.server.ts';
import { registerJobHandler } from '#platform/jobs.server.ts';
import { basics, platform } from '#platform/platform.server.ts';
import { declareIslandMessages } from '#platform/translations.server.ts';

/**
 * The features of the portal, each after those that it depends on. Passes what each declares in its
 * `feature.server.ts` to the modules that run it.
 */
export const FEATURES: readonly Feature<FeatureApi>[] = [
  basics,
  firms,
  people,
  actions,
  addresses,
  logging,
  access,
  grids,
  clients,
  receipts,
  sessions,
  credentials,
  secondFactors,
  invitations,
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
  trash,
  filing,
  folderTemplates,
  publishing,
  scanner,
  downloads,
  comments,
  viewer,
  sharing,
  questionnaires,
  tasks,
  taskLists,
  taskSubmissions,
  taskAnswers,
  taskReview,
  documentReview,
  payments,
  signing,
  signingRequests,
  taskTemplates,
  taskLinks,
  mails,
  taskReminders,
  taskMessages,
  taskBatches,
  accessReview,
  inbox,
  home,
  staff,
  imports,
  dataExports,
  retention,
  settings,
  demo,
  platform,
];

compose(FEATURES);

for (const { subscriptions = [], jobs = {}, islandMessages = {} } of FEATURES) {
  declareIslandMessages(islandMessages);
  for (const subscription of subscriptions) subscription.begin();
  for (const [kind, { run, ...pace }] of Object.entries(jobs)) registerJobHandler(kind, run, pace);
}
