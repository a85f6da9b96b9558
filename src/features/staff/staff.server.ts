export { listContacts } from './contacts.server.ts';
export { activityOf, exportAuditLog, listAuditLog } from './audit-log.server.ts';
export { markWrites } from './read-only-markup.server.ts';
export {
  endExpiredImpersonation,
  endViewing,
  noteImpersonatedRequest,
  personToViewAs,
  startViewing,
} from './view-as.server.ts';
