/**
 * Which features a feature may import, written once: ESLint refuses any other import (eslint.config.js), a
 * test finds cycles and edges that nobody uses (tests/architecture.test.ts), and docs/architecture.md shows
 * it as a diagram.
 *
 * What a lower feature must not know, it does not import: it announces an event that the upper one subscribes to
 * (src/platform/events.server.ts), or the page composes the two.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const DEPENDENCIES = {
  firms: [],
  people: [],
  questionnaires: [],
  actions: ['people'],
  addresses: ['people'],
  access: ['firms', 'people', 'actions'],
  grids: ['firms', 'people'],
  clients: ['people', 'grids'],
  receipts: ['people'],
  seals: ['firms', 'people'],
  sessions: ['firms', 'people'],
  credentials: ['firms', 'people'],
  'second-factors': ['firms', 'people', 'sessions', 'credentials'],
  invitations: ['firms', 'people', 'credentials'],
  directory: ['people', 'grids', 'clients', 'credentials', 'invitations'],
  'first-day': ['firms', 'people'],
  recovery: ['firms', 'people', 'credentials', 'second-factors', 'invitations'],
  'external-sign-in': ['credentials', 'invitations'],
  'sign-in': ['firms', 'people', 'sessions', 'credentials', 'second-factors', 'external-sign-in'],
  folders: ['firms', 'people'],
  documents: ['people', 'receipts', 'folders'],
  merging: ['people', 'clients', 'folders'],
  antivirus: ['documents'],
  uploads: ['firms', 'people', 'folders', 'documents'],
  trash: ['people', 'receipts', 'folders', 'documents'],
  filing: ['people', 'clients', 'folders', 'documents', 'uploads', 'trash'],
  'folder-templates': ['people', 'clients', 'folders'],
  publishing: ['people', 'clients', 'folders', 'folder-templates', 'documents', 'uploads', 'trash'],
  scanner: ['firms', 'people', 'folders', 'documents', 'uploads'],
  downloads: ['firms', 'people', 'receipts', 'folders', 'documents'],
  comments: ['firms', 'people', 'documents'],
  viewer: ['people', 'folders', 'documents', 'downloads'],
  sharing: ['firms', 'people', 'receipts', 'folders', 'documents', 'downloads'],
  tasks: [
    'firms',
    'people',
    'grids',
    'clients',
    'receipts',
    'folders',
    'documents',
    'uploads',
    'questionnaires',
  ],
  mails: ['firms', 'people', 'grids', 'invitations'],
  'task-reminders': ['firms', 'people', 'tasks'],
  'access-review': ['firms', 'people', 'directory'],
  inbox: ['people', 'access-review', 'documents', 'comments', 'sharing', 'tasks', 'invitations', 'mails'],
  staff: ['people', 'grids', 'sessions'],
  imports: ['people', 'clients', 'credentials', 'invitations', 'directory', 'uploads'],
  'data-exports': ['firms', 'people', 'clients', 'folders', 'documents'],
  retention: ['firms', 'people', 'clients', 'folders', 'trash'],
  settings: ['firms', 'sharing', 'data-exports', 'retention', 'access-review'],
  demo: [
    'firms',
    'people',
    'access',
    'clients',
    'sessions',
    'invitations',
    'folders',
    'folder-templates',
    'documents',
    'trash',
    'downloads',
    'comments',
    'sharing',
    'tasks',
  ],
};

export const FEATURES = Object.keys(DEPENDENCIES);
