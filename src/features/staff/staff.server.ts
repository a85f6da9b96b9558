export { listContacts } from './contacts.server.ts';
export { activityOf, exportTrail, listTrail } from './trail.server.ts';
export { endOverdueLook, endViewing, noteLook, personToViewAs, startViewing } from './view-as.server.ts';
