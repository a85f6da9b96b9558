import { foundations } from './0001-foundations.server.ts';
import { atRest } from './0002-at-rest.server.ts';
import { audit } from './0003-audit.server.ts';
import { documentCounts } from './0004-document-counts.server.ts';
import { whoIsHere } from './0005-who-is-here.server.ts';
import { secondFactors } from './0006-second-factors.server.ts';
import { invitations } from './0007-invitations.server.ts';
import { issuers } from './0008-issuers.server.ts';
import { tokens } from './0009-tokens.server.ts';
import { themes } from './0011-themes.server.ts';
import { nicknames } from './0012-nicknames.server.ts';
import { auditAnchors } from './0013-audit-anchors.server.ts';
import { trash } from './0014-trash.server.ts';
import { myShares } from './0015-my-shares.server.ts';
import { containers } from './0016-containers.server.ts';
import { exportsReceipts } from './0017-exports-receipts.server.ts';
import { uploads } from './0019-uploads.server.ts';
import { comments } from './0020-comments.server.ts';
import { rights } from './0021-rights.server.ts';
import { tokenSessions } from './0022-token-sessions.server.ts';
import { firmFolder } from './0023-firm-folder.server.ts';
import { searchBeginnings } from './0024-search-beginnings.server.ts';
import { knownDevices } from './0025-known-devices.server.ts';
import { unread } from './0026-unread.server.ts';
import { oneContactFolder } from './0027-one-contact-folder.server.ts';
import { secondStep } from './0028-second-step.server.ts';
import { signInPurposes } from './0029-sign-in-purposes.server.ts';
import { timeZones } from './0030-time-zones.server.ts';
import { rightsMacs } from './0031-rights-macs.server.ts';
import { unscanned } from './0032-unscanned.server.ts';
import { wordBeginnings } from './0033-word-beginnings.server.ts';
import { countsPerStatement } from './0034-counts-per-statement.server.ts';
import { firmSide } from './0035-firm-side.server.ts';
import { clientLists } from './0036-client-lists.server.ts';
import { people } from './0037-people.server.ts';
import { folderTrash } from './0038-folder-trash.server.ts';
import { publishing } from './0039-publishing.server.ts';
import { mails } from './0040-mails.server.ts';
import { imports } from './0041-imports.server.ts';
import { firmDetails } from './0042-firm-details.server.ts';
import { grids } from './0043-grids.server.ts';
import { inbox } from './0045-inbox.server.ts';
import { clientSearch } from './0046-client-search.server.ts';
import { peopleByName } from './0047-people-by-name.server.ts';
import { publishToOne } from './0049-publish-to-one.server.ts';
import { notificationSettings } from './0050-notification-settings.server.ts';
import { inboxReads } from './0051-inbox-reads.server.ts';
import { dataExports } from './0052-data-exports.server.ts';
import { retentionAndReviews } from './0053-retention-and-reviews.server.ts';
import { tasks } from './0054-tasks.server.ts';
import { seals } from './0055-seals.server.ts';
import { signing } from './0057-signing.server.ts';
import { taskTemplates } from './0059-task-templates.server.ts';
import { taskReminders } from './0061-task-reminders.server.ts';
import { answerEditors } from './0063-answer-editors.server.ts';
import { payments } from './0064-payments.server.ts';
import { taskDecisions } from './0066-task-decisions.server.ts';
import { taskLinks } from './0067-task-links.server.ts';
import { consentTexts } from './0068-consent-texts.server.ts';
import { sealWaits } from './0069-seal-waits.server.ts';
import { taskLists } from './0070-task-lists.server.ts';
import { documentsBySide } from './0080-documents-by-side.server.ts';
import { newestUnread } from './0095-newest-unread.server.ts';
import { taskMessages } from './0096-task-messages.server.ts';
import { shareOpenings } from './0097-share-openings.server.ts';
import { damagedBlobs } from './0098-damaged-blobs.server.ts';
import { counts } from './0099-counts.server.ts';
import { peopleSearch } from './0100-people-search.server.ts';
import { clientGroups } from './0101-client-groups.server.ts';
import { accessMacs } from './0102-access-macs.server.ts';
import { openLinksByMaker } from './0103-open-links-by-maker.server.ts';
import { taskUploads } from './0104-task-uploads.server.ts';
import { firstSessionIds } from './0105-first-session-ids.server.ts';
import { unreadByBytes } from './0106-unread-by-bytes.server.ts';
import { joinedBlobs } from './0107-joined-blobs.server.ts';
import { peopleOfClients } from './0108-people-of-clients.server.ts';
import { deliveryEvidence } from './0110-delivery-evidence.server.ts';
import { plainNumbers } from './0111-plain-numbers.server.ts';
import { keptOriginals } from './0113-kept-originals.server.ts';
import { transactionOutcomes } from './0117-transaction-outcomes.server.ts';
import { nodes } from './0118-nodes.server.ts';
import { requestKeys } from './0119-request-keys.server.ts';
import { filesSentByLink } from './0120-files-sent-by-link.server.ts';
import { paymentAccounts } from './0121-payment-accounts.server.ts';
import { inboxDetails } from './0124-inbox-details.server.ts';
import { possibleDuplicates } from './0125-possible-duplicates.server.ts';
import { establishments } from './0130-establishments.server.ts';
import { employees } from './0131-employees.server.ts';
import { inboxOrder } from './0134-inbox-order.server.ts';
import { clientsOfContacts } from './0135-clients-of-contacts.server.ts';
import { taskSearch } from './0136-task-search.server.ts';
import { dataOfFirm } from './0139-data-of-firm.server.ts';
import { invitedResponsible } from './0140-invited-responsible.server.ts';
import { feedback } from './0143-feedback.server.ts';
import { searchPathOfFunctions } from './0145-search-path-of-functions.server.ts';
import { news } from './0146-news.server.ts';
import { issueReports } from './0148-issue-reports.server.ts';
import { homeArrangements } from './0149-home-arrangements.server.ts';
import { notifications } from './0150-notifications.server.ts';
import { notificationTimes } from './0151-notification-times.server.ts';
import { fiscalDocuments } from './0154-fiscal-documents.server.ts';
import { fiscalIntakes } from './0155-fiscal-intakes.server.ts';
import { answersNotSubmitted } from './0160-answers-not-submitted.server.ts';
import { recipientNames } from './0161-recipient-names.server.ts';
import { openTasks } from './0162-open-tasks.server.ts';
import { batches } from './0163-batches.server.ts';
import { headsOfTaskBatches } from './0164-heads-of-task-batches.server.ts';
import { headsOfImports } from './0165-heads-of-imports.server.ts';
import { headsOfInvitationBatches } from './0166-heads-of-invitation-batches.server.ts';
import { taxCalendar } from './0167-tax-calendar.server.ts';
import { serviceRequests } from './0170-service-requests.server.ts';
import { clearanceCertificates } from './0175-clearance-certificates.server.ts';
import { overviewOfTasks } from './0178-overview-of-tasks.server.ts';
import { fiscalReport } from './0181-fiscal-report.server.ts';
import { stepsOfRequests } from './0182-steps-of-requests.server.ts';
import { mailLinks } from './0183-mail-links.server.ts';
import { importFiles } from './0184-import-files.server.ts';
import { tasksOfClientsByTime } from './0185-tasks-of-clients-by-time.server.ts';
import { attention } from './0186-attention.server.ts';
import { mailTexts } from './0187-mail-texts.server.ts';
import { phrasesAndCheckCodes } from './0188-phrases-and-check-codes.server.ts';
import { readingSettings } from './0189-reading-settings.server.ts';
import { firstSteps } from './0190-first-steps.server.ts';
import { audiencesOfDocuments } from './0191-audiences-of-documents.server.ts';
import { invoiceManifest } from './0192-invoice-manifest.server.ts';
import { digitalCertificates } from './0193-digital-certificates.server.ts';
import { manifestByAuthority } from './0194-manifest-by-authority.server.ts';
import { payrollEntries } from './0196-payroll-entries.server.ts';
import { pushSubscriptions } from './0200-push-subscriptions.server.ts';
import { clearancePassports } from './0203-clearance-passports.server.ts';
import { serviceRequestDesk } from './0206-service-request-desk.server.ts';
import { manifestAwareness } from './0212-manifest-awareness.server.ts';
import { unattendedIntakes } from './0209-unattended-intakes.server.ts';
import { payrollReplies } from './0216-payroll-replies.server.ts';
import { replyDays } from './0217-reply-days.server.ts';
import { firmHolidays } from './0218-firm-holidays.server.ts';
import { clientMessages } from './0221-client-messages.server.ts';
import { keysOfPushSubscriptions } from './0234-keys-of-push-subscriptions.server.ts';
import { practiceFirms } from './0233-practice-firms.server.ts';
import { rowsOfAssignedClients } from './0224-rows-of-assigned-clients.server.ts';
import { softenedRules } from './0227-softened-rules.server.ts';
import { establishmentsOfFiscalDocuments } from './0230-establishments-of-fiscal-documents.server.ts';
import type { SchemaChange } from './schema-change.server.ts';

/** Every migration by the name of its file, in order; a new one is the last. */
export const MIGRATIONS: Readonly<Record<string, SchemaChange>> = {
  '0001-foundations': foundations,
  '0002-at-rest': atRest,
  '0003-audit': audit,
  '0004-document-counts': documentCounts,
  '0005-who-is-here': whoIsHere,
  '0006-second-factors': secondFactors,
  '0007-invitations': invitations,
  '0008-issuers': issuers,
  '0009-tokens': tokens,
  '0011-themes': themes,
  '0012-nicknames': nicknames,
  '0013-audit-anchors': auditAnchors,
  '0014-trash': trash,
  '0015-my-shares': myShares,
  '0016-containers': containers,
  '0017-exports-receipts': exportsReceipts,
  '0019-uploads': uploads,
  '0020-comments': comments,
  '0021-rights': rights,
  '0022-token-sessions': tokenSessions,
  '0023-firm-folder': firmFolder,
  '0024-search-beginnings': searchBeginnings,
  '0025-known-devices': knownDevices,
  '0026-unread': unread,
  '0027-one-contact-folder': oneContactFolder,
  '0028-second-step': secondStep,
  '0029-sign-in-purposes': signInPurposes,
  '0030-time-zones': timeZones,
  '0031-rights-macs': rightsMacs,
  '0032-unscanned': unscanned,
  '0033-word-beginnings': wordBeginnings,
  '0034-counts-per-statement': countsPerStatement,
  '0035-firm-side': firmSide,
  '0036-client-lists': clientLists,
  '0037-people': people,
  '0038-folder-trash': folderTrash,
  '0039-publishing': publishing,
  '0040-mails': mails,
  '0041-imports': imports,
  '0042-firm-details': firmDetails,
  '0043-grids': grids,
  '0045-inbox': inbox,
  '0046-client-search': clientSearch,
  '0047-people-by-name': peopleByName,
  '0049-publish-to-one': publishToOne,
  '0050-notification-settings': notificationSettings,
  '0051-inbox-reads': inboxReads,
  '0052-data-exports': dataExports,
  '0053-retention-and-reviews': retentionAndReviews,
  '0054-tasks': tasks,
  '0055-seals': seals,
  '0057-signing': signing,
  '0059-task-templates': taskTemplates,
  '0061-task-reminders': taskReminders,
  '0063-answer-editors': answerEditors,
  '0064-payments': payments,
  '0066-task-decisions': taskDecisions,
  '0067-task-links': taskLinks,
  '0068-consent-texts': consentTexts,
  '0069-seal-waits': sealWaits,
  '0070-task-lists': taskLists,
  '0080-documents-by-side': documentsBySide,
  '0095-newest-unread': newestUnread,
  '0096-task-messages': taskMessages,
  '0097-share-openings': shareOpenings,
  '0098-damaged-blobs': damagedBlobs,
  '0099-counts': counts,
  '0100-people-search': peopleSearch,
  '0101-client-groups': clientGroups,
  '0102-access-macs': accessMacs,
  '0103-open-links-by-maker': openLinksByMaker,
  '0104-task-uploads': taskUploads,
  '0105-first-session-ids': firstSessionIds,
  '0106-unread-by-bytes': unreadByBytes,
  '0107-joined-blobs': joinedBlobs,
  '0108-people-of-clients': peopleOfClients,
  '0110-delivery-evidence': deliveryEvidence,
  '0111-plain-numbers': plainNumbers,
  '0113-kept-originals': keptOriginals,
  '0117-transaction-outcomes': transactionOutcomes,
  '0118-nodes': nodes,
  '0119-request-keys': requestKeys,
  '0120-files-sent-by-link': filesSentByLink,
  '0121-payment-accounts': paymentAccounts,
  '0124-inbox-details': inboxDetails,
  '0125-possible-duplicates': possibleDuplicates,
  '0130-establishments': establishments,
  '0131-employees': employees,
  '0134-inbox-order': inboxOrder,
  '0135-clients-of-contacts': clientsOfContacts,
  '0136-task-search': taskSearch,
  '0139-data-of-firm': dataOfFirm,
  '0140-invited-responsible': invitedResponsible,
  '0143-feedback': feedback,
  '0145-search-path-of-functions': searchPathOfFunctions,
  '0146-news': news,
  '0148-issue-reports': issueReports,
  '0149-home-arrangements': homeArrangements,
  '0150-notifications': notifications,
  '0151-notification-times': notificationTimes,
  '0154-fiscal-documents': fiscalDocuments,
  '0155-fiscal-intakes': fiscalIntakes,
  '0160-answers-not-submitted': answersNotSubmitted,
  '0161-recipient-names': recipientNames,
  '0162-open-tasks': openTasks,
  '0163-batches': batches,
  '0164-heads-of-task-batches': headsOfTaskBatches,
  '0165-heads-of-imports': headsOfImports,
  '0166-heads-of-invitation-batches': headsOfInvitationBatches,
  '0167-tax-calendar': taxCalendar,
  '0170-service-requests': serviceRequests,
  '0175-clearance-certificates': clearanceCertificates,
  '0178-overview-of-tasks': overviewOfTasks,
  '0181-fiscal-report': fiscalReport,
  '0182-steps-of-requests': stepsOfRequests,
  '0183-mail-links': mailLinks,
  '0184-import-files': importFiles,
  '0185-tasks-of-clients-by-time': tasksOfClientsByTime,
  '0186-attention': attention,
  '0187-mail-texts': mailTexts,
  '0188-phrases-and-check-codes': phrasesAndCheckCodes,
  '0189-reading-settings': readingSettings,
  '0190-first-steps': firstSteps,
  '0191-audiences-of-documents': audiencesOfDocuments,
  '0192-invoice-manifest': invoiceManifest,
  '0193-digital-certificates': digitalCertificates,
  '0194-manifest-by-authority': manifestByAuthority,
  '0196-payroll-entries': payrollEntries,
  '0200-push-subscriptions': pushSubscriptions,
  '0203-clearance-passports': clearancePassports,
  '0206-service-request-desk': serviceRequestDesk,
  '0209-unattended-intakes': unattendedIntakes,
  '0212-manifest-awareness': manifestAwareness,
  '0216-payroll-replies': payrollReplies,
  '0217-reply-days': replyDays,
  '0218-firm-holidays': firmHolidays,
  '0221-client-messages': clientMessages,
  '0224-rows-of-assigned-clients': rowsOfAssignedClients,
  '0227-softened-rules': softenedRules,
  '0230-establishments-of-fiscal-documents': establishmentsOfFiscalDocuments,
  '0233-practice-firms': practiceFirms,
  '0234-keys-of-push-subscriptions': keysOfPushSubscriptions,
};
