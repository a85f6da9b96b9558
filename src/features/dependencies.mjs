/**
 * Which features a feature may import, written once: ESLint refuses any other import (eslint.config.js), a
 * test finds cycles and edges that nobody uses (tests/architecture.test.ts), and docs/architecture.md shows
 * it as a diagram.
 *
 * What a lower feature must not know, it does not import: the page or the front door composes the two.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const DEPENDENCIES = {
  firms: [],
  people: [],
  actions: ['people'],
  access: ['actions', 'firms', 'people'],
  clients: ['people'],
  receipts: ['people'],
  session: ['firms', 'people'],
  identity: ['firms', 'people', 'session'],
  documents: ['firms', 'people'],
  exports: ['documents', 'firms', 'people'],
  notes: ['documents', 'firms', 'people'],
  viewer: ['documents', 'people'],
  sharing: ['documents', 'firms', 'people'],
  staff: ['firms', 'people', 'session'],
  demo: ['access', 'clients', 'documents', 'firms', 'notes', 'people', 'session', 'sharing'],
};

export const FEATURES = Object.keys(DEPENDENCIES);
