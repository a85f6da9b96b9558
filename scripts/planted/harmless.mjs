// Faults that change nothing that anybody could see, each with its reason: the file in src/features, the kind, and how the text ends that was there.

/** @type {{ why: string, faults: [file: string, kind: string, end: string][] }[]} */
const HARMLESS = [
  {
    why: 'what is read is looked up by ids that were found within what the actor may see: others are read for nothing',
    faults: [
      ['documents/archive', 'where dropped', "containersOf(actor).where('containers.client_id', 'in', clients)"],
      ['documents/descendants', 'where dropped', "containersOf(actor).where('client_id', '=', top.client_id)"],
      ['documents/metadata', 'where dropped', ".where('document_id', 'in', some)"],
      ['documents/names', 'where dropped', "containersOf(actor).where('containers.container_id', 'in', ids)"],
      ['documents/rights', 'where dropped', ".where('containers.client_id', '=', start.client_id)"],
      ['documents/rights', 'where dropped', "selectAll().where('container_id', 'in', ids)"],
      ['documents/store', 'whereRef dropped', "e.selectFrom('item_metadata').select('item_metadata.meta_key').whereRef('item_metadata.document_id', '=', 'documents.document_id')"],
      ['documents/store', 'where dropped', "documentsOf(actor).where('documents.document_id', 'in', ids)"],
      ['documents/store', 'where dropped', ".select((e) => ['container_id', e.fn.countAll<number>().as('count')]) .where('client_id', '=', clientId)"],
      ['staff/contacts', 'where dropped', ".where('contacts.contact_id', 'in', ids)"],
      ['staff/contacts', 'where dropped', ".where('client_contacts.contact_id', 'in', ids)"],
      ['staff/contacts', 'where dropped', ".where('contact_id', 'in', ids)"],
      ['staff/contacts', 'where dropped', ".where('actor', 'in', ids)"],
      ['staff/trail', 'where dropped', ".where('contact_id', 'in', some)"],
      ['staff/trail', 'where dropped', ".where('client_id', 'in', some)"],
      ['staff/trail', 'where dropped', ".where('document_id', 'in', some)"],
      ['staff/trail', 'where dropped', ".where('container_id', 'in', some)"],
      ['staff/trail', 'where dropped', ".where('view_id', 'in', viewIds.slice(start, start + BATCH))"],
      ['sharing/my-shares', 'where dropped', ".where('share_id', 'in', shares.map((share) => share.share_id))"],
      ['sharing/under-way', 'where dropped', ".where('recipient_id', 'in', recipients)"],
    ],
  },
  {
    why: 'the other conditions name ids or digests that are of one firm and one person only',
    faults: [
      ['documents/allowance', 'where dropped', "select('seq').where('company_id', '=', companyId)"],
      ['documents/metadata', 'where dropped', "documentsOf(actor).where('documents.client_id', '=', ClientId)"],
      ['documents/metadata', 'where dropped', ".where('item_metadata.client_id', '=', clientId)"],
      ['staff/contacts', 'where dropped', "e.fn.max('at').as('at')]).where('company_id', '=', actor.companyId)"],
      ['staff/trail', 'where dropped', "'full_name as name']).where('company_id', '=', actor.companyId)"],
      ['staff/trail', 'where dropped', "'name']).where('company_id', '=', actor.companyId)"],
      ['receipts/receipts', 'where dropped', ".as('total')) .where('company_id', '=', actor.companyId)"],
      ['receipts/receipts', 'where dropped', ".where('receipts.company_id', '=', actor.companyId)"],
      ['session/devices', 'where dropped', ".where('session_hash', '=', session.id) .where('prism_guid', '=', prismGuid)"],
      ['identity/first-owner', 'where dropped', "db().deleteFrom('settings').where('name', '=', SETTING)"],
      ['identity/identities', 'where dropped', ".where('issuer', '=', issuer)"],
      ['identity/invitations', 'where dropped', "set({ accepted_at: now() }).where('invitation_id', '=', row.invitation_id)"],
      ['identity/invitations', 'where dropped', "db().selectFrom('clients').select('client_id').where('company_id', '=', companyId)"],
      ['identity/recovery-codes', 'where dropped', ".where('code_hash', '=', digestOf(prismGuid, code)).where('prism_guid', '=', prismGuid)"],
    ],
  },
  {
    why: 'the same is asked a moment before or after it, within one transaction or one call',
    faults: [
      ['sharing/store', 'where dropped', "set({ asked_again_at: now() }).where('recipient_id', '=', recipientId).where('asked_again_at', 'is', null)"],
      ['people/people', 'guard dropped', "if (!session) throw new PortalError('UNAUTHENTICATED');"],
      ['identity/identity', 'left of the two only', '!(await secretMatches(input.password, user?.password_hash)) || !user'],
      ['identity/external', 'guard dropped', "if (!claims || tokens.id_token === undefined) throw new Error('the identity token names nobody');"],
      ['identity/first-owner', 'guard dropped', "if (!(await firstOwnerIsOpen(token))) throw new PortalError('GONE');"],
      ['identity/first-owner', 'where dropped', ".where('name', '=', SETTING).where('value', '=', sha256(token))"],
      ['identity/invitations', 'where dropped', ".where('invitation_id', '=', invitationId).where('accepted_at', 'is', null)"],
      ['identity/rescue', 'where dropped', ".where('rescue_codes.code_hash', '=', hashOf(code))"],
      ['identity/rescue', 'where dropped', ".where('contact_id', '=', found.contact_id).where('code_hash', '=', hashOf(code))"],
      ['identity/rescue', 'where dropped', "db().deleteFrom('rescue_codes').where('contact_id', '=', found.contact_id)"],
      ['identity/invitations', 'where dropped', ".where('token_hash', '=', sha256(token)).where('accepted_at', 'is', null)"],
      ['identity/reset', 'where dropped', "db().deleteFrom('password_resets').where('token_hash', '=', sha256(token)).where('expires_at', '>', now())"],
      ['exports/line', 'where dropped', "'total']).where('status', '=', 'PENDING')"],
      ['exports/line', 'where dropped', ".where('export_id', '=', exportId).where('status', '=', 'PENDING')"],
      ['documents/trash', 'guard dropped', 'if (!place) throw notFound();'],
      ['documents/scanning', 'where dropped', ".where('document_id', '=', documentId).where('scan', '=', 'pending')"],
      ['documents/trash', 'where dropped', "rows.map((row) => row.document_id)) .where('deleted_at', 'is', null)"],
      ['documents/documents', 'guard dropped', 'if (!document) throw notFound();'],
      ['documents/arrivals', '&& turned into ||', "!place && containerType === 'Client'"],
      ['people/profile', '&& turned into ||', '!viewing && !actor.viewedBy'],
      ['exports/exports', '&& turned into ||', "row.status === 'PENDING' && row.moved_at === null"],
      ['exports/exports', 'where dropped', "selectAll().where('export_id', '=', exportId).where('status', '=', 'PENDING')"],
      ['exports/exports', 'where dropped', ".where('status', '=', row.status).where('missing', '=', row.missing)"],
    ],
  },
  {
    why: 'what whoever acts belongs to is there, and an address belongs to one user at most: this only tells the types so',
    faults: [
      ['people/profile', 'guard dropped', 'if (!row) throw notFound();'],
      ['firms/look', 'guard dropped', 'if (!row) throw notFound();'],
      ['identity/new-password', 'guard dropped', "if (!user) throw new PortalError('GONE');"],
      ['identity/identities', '&& turned into ||', 'user && users.length === 1'],
    ],
  },
  {
    why: 'SQLite finds nothing in an empty list, as it should be; PostgreSQL, which refuses one, runs the same tests',
    faults: [
      ['staff/contacts', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['sharing/under-way', 'guard dropped', 'if (recipients.length === 0) return 0;'],
      ['identity/invitations', 'guard dropped', 'if (clientIds.length === 0) return;'],
      ['documents/documents', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['documents/roles', 'guard dropped', 'which.containerIds.length === 0) return () => usual(actor);'],
      ['documents/trash', 'guard dropped', 'if (ids.length === 0) return new Map();'],
      ['documents/store', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['documents/names', 'guard dropped', 'if (ids.length === 0) return new Map();'],
    ],
  },
  {
    why: 'an invitation that was accepted reads as accepted, whatever else became of it',
    faults: [['identity/invitations', 'where dropped', ".where('email_key', '=', emailKey).where('accepted_at', 'is', null)"]],
  },
  {
    why: 'of when somebody was told only that they were is looked at',
    faults: [['documents/arrivals', 'where dropped', "set({ told_at: now() }).where('container_id', '=', containerId).where('by_staff', '=', byStaff).where('told_at', 'is', null)"]],
  },
  {
    why: 'the portal makes locks of one kind and one level only (spec 1 section 6 names more)',
    faults: [
      ['documents/rights', 'where dropped', ".where('kind', '=', 'Read')"],
      ['documents/rights', 'where dropped', ".where('level', '=', 'Master')"],
      ['documents/roles', 'where dropped', ".where('kind', '=', 'Read')"],
      ['documents/store', 'where dropped', ".where('item_locks.kind', '=', 'Read')"],
      ['documents/store', 'where dropped', ".where('item_locks.level', '=', 'Master')"],
    ],
  },
  {
    why: 'an issuer is asked for what it said already',
    faults: [['identity/external', '&& turned into ||', "claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined"]],
  },
];

/** Why a fault changes nothing, where that is so. @param {{ file: string, kind: string, was: string }} fault @returns {string | undefined} */
export function whyHarmless({ file, kind, was }) {
  const sits = (/** @type {[string, string, string]} */ [place, what, end]) => file === `src/features/${place}.server.ts` && kind === what && was.endsWith(end);
  return HARMLESS.find(({ faults }) => faults.some((fault) => sits(fault)))?.why;
}
