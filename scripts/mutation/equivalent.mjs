// Equivalent mutants: no test can notice them, for the given reason. Each is a file in src/features, a kind,
// and the end of the original text; a second occurrence of the same text in a file ends with (2), and so on.

/** @type {{ why: string, mutants: [file: string, kind: string, end: string][] }[]} */
const EQUIVALENT = [
  {
    why: 'the rows are looked up by ids that were already scoped to the actor, so additional rows are never used',
    mutants: [
      [
        'documents/archive',
        'where dropped',
        "containersOf(actor).where('containers.client_id', 'in', clients)",
      ],
      [
        'documents/descendants',
        'where dropped',
        "containersOf(actor).where('client_id', '=', top.client_id)",
      ],
      ['documents/metadata', 'where dropped', ".where('document_id', 'in', some)"],
      ['documents/names', 'where dropped', "containersOf(actor).where('containers.container_id', 'in', ids)"],
      ['documents/rights', 'where dropped', ".where('containers.client_id', '=', start.client_id)"],
      ['documents/rights', 'where dropped', "selectAll().where('container_id', 'in', ids)"],
      [
        'documents/store',
        'whereRef dropped',
        "e.selectFrom('item_metadata').select('item_metadata.meta_key').whereRef('item_metadata.document_id', '=', 'documents.document_id')",
      ],
      ['documents/store', 'where dropped', "documentsOf(actor).where('documents.document_id', 'in', ids)"],
      ['documents/rights', 'where dropped', ".where('item_id', 'in', ids)"],
      ['clients/pending', 'where dropped', ".where('clients.client_id', 'in', clientIds)"],
      ['directory/people-grid', 'where dropped', ".where('contacts.contact_id', 'in', ids)"],
      ['people/last-seen', 'where dropped', ".where('contact_id', 'in', ids)"],
      ['people/last-seen', 'where dropped', ".where('actor', 'in', ids)"],
      ['staff/audit-log', 'where dropped', ".where('contact_id', 'in', some)"],
      ['staff/audit-log', 'where dropped', ".where('client_id', 'in', some)"],
      ['staff/audit-log', 'where dropped', ".where('document_id', 'in', some)"],
      ['staff/audit-log', 'where dropped', ".where('container_id', 'in', some)"],
      ['staff/audit-log', 'where dropped', ".where('view_id', 'in', viewIds.slice(start, start + BATCH))"],
      [
        'sharing/my-shares',
        'where dropped',
        ".where('share_id', 'in', shares.map((share) => share.share_id))",
      ],
      ['sharing/under-way', 'where dropped', ".where('recipient_id', 'in', recipients)"],
    ],
  },
  {
    why: 'the remaining conditions contain an id or digest that is unique to one firm and one person',
    mutants: [
      ['documents/allowance', 'where dropped', "select('seq').where('company_id', '=', companyId)"],
      [
        'documents/metadata',
        'where dropped',
        "documentsOf(actor).where('documents.client_id', '=', ClientId)",
      ],
      ['documents/metadata', 'where dropped', ".where('item_metadata.client_id', '=', clientId)"],
      [
        'documents/upload-rows',
        'where dropped',
        ".where('contact_id', '=', actor.contactId).where('company_id', '=', actor.companyId)",
      ],
      [
        'people/last-seen',
        'where dropped',
        "e.fn.max('at').as('at')]).where('company_id', '=', actor.companyId)",
      ],
      ['staff/audit-log', 'where dropped', "'full_name as name']).where('company_id', '=', actor.companyId)"],
      ['staff/audit-log', 'where dropped', "'name']).where('company_id', '=', actor.companyId)"],
      ['receipts/receipts', 'where dropped', ".as('total')) .where('company_id', '=', actor.companyId)"],
      ['receipts/receipts', 'where dropped', ".where('receipts.company_id', '=', actor.companyId)"],
      [
        'session/devices',
        'where dropped',
        ".where('session_hash', '=', session.id) .where('prism_guid', '=', prismGuid)",
      ],
      ['identity/first-owner', 'where dropped', "db().deleteFrom('settings').where('name', '=', SETTING)"],
      ['identity/identities', 'where dropped', ".where('issuer', '=', issuer)"],
      [
        'identity/invitations',
        'where dropped',
        "set({ accepted_at: now() }).where('invitation_id', '=', row.invitation_id)",
      ],
      [
        'identity/invitations',
        'where dropped',
        "db().selectFrom('clients').select('client_id').where('company_id', '=', companyId)",
      ],
      [
        'identity/recovery-codes',
        'where dropped',
        ".where('code_hash', '=', digestOf(prismGuid, code)).where('prism_guid', '=', prismGuid)",
      ],
    ],
  },
  {
    why: 'the same condition is checked just before or after, within the same transaction or call',
    mutants: [
      [
        'sharing/store',
        'where dropped',
        "set({ asked_again_at: now() }).where('recipient_id', '=', recipientId).where('asked_again_at', 'is', null)",
      ],
      ['people/people', 'guard dropped', "if (!session) throw new PortalError('UNAUTHENTICATED');"],
      [
        'identity/identity',
        'left operand only',
        '!(await secretMatches(input.password, user?.password_hash)) || !user',
      ],
      [
        'identity/external',
        'guard dropped',
        "if (!claims || tokens.id_token === undefined) throw new Error('the identity token names nobody');",
      ],
      [
        'identity/first-owner',
        'guard dropped',
        "if (!(await firstOwnerIsOpen(token))) throw new PortalError('GONE');",
      ],
      [
        'identity/first-owner',
        'where dropped',
        ".where('name', '=', SETTING).where('value', '=', sha256(token))",
      ],
      [
        'identity/invitations',
        'where dropped',
        ".where('invitation_id', '=', invitationId).where('accepted_at', 'is', null)",
      ],
      ['identity/rescue', 'where dropped', ".where('rescue_codes.code_hash', '=', hashOf(code))"],
      [
        'identity/rescue',
        'where dropped',
        ".where('contact_id', '=', found.contact_id).where('code_hash', '=', hashOf(code))",
      ],
      [
        'identity/rescue',
        'where dropped',
        "db().deleteFrom('rescue_codes').where('contact_id', '=', found.contact_id)",
      ],
      [
        'identity/invitations',
        'where dropped',
        ".where('token_hash', '=', sha256(token)).where('accepted_at', 'is', null)",
      ],
      [
        'identity/reset',
        'where dropped',
        "db().deleteFrom('password_resets').where('token_hash', '=', sha256(token)).where('expires_at', '>', now())",
      ],
      ['exports/line', 'where dropped', "'total']).where('status', '=', 'PENDING')"],
      ['exports/line', 'where dropped', ".where('export_id', '=', exportId).where('status', '=', 'PENDING')"],
      ['documents/trash', 'guard dropped', 'if (!place) throw notFound();'],
      [
        'documents/scanning',
        'where dropped',
        ".where('document_id', '=', documentId).where('scan', '=', 'pending')",
      ],
      [
        'documents/trash',
        'where dropped',
        "rows.map((row) => row.document_id)) .where('deleted_at', 'is', null)",
      ],
      [
        'documents/trash',
        'where dropped',
        ".where('document_id', 'in', ids) .where('deleted_at', 'is not', null)",
      ],
      ['documents/tree', '&& replaced by ||', "!top && type === 'Client'"],
      [
        'documents/uploads',
        'guard dropped',
        "if (offset !== row.received) throw new PortalError('OFFSET_MISMATCH', { offset: row.received });",
      ],
      [
        'documents/uploads',
        'guard dropped',
        "if (row.received !== row.size) throw new PortalError('OFFSET_MISMATCH', { offset: row.received });",
      ],
      [
        'documents/uploads',
        'guard dropped',
        'if (row.document_id !== null) return documentById(actor, row.document_id);',
      ],
      [
        'documents/uploads',
        'where dropped',
        ".where('received', '=', offset) .where('document_id', 'is', null)",
      ],
      [
        'documents/uploads',
        '&& replaced by ||',
        'underWay.get(uploadId) === work && underWay.delete(uploadId)',
      ],
      [
        'documents/store',
        'where dropped',
        ".where('client_id', '=', clientId) .where(isOfOwnClient(actor, 'containers.client_id'))",
      ],
      ['identity/first-owner', '|| replaced by &&', 'taken.numDeletedRows === 0n || (await hasFirm())'],
      ['documents/documents', 'guard dropped', 'if (!document) throw notFound(); (2)'],
      ['documents/upload-notifications', '&& replaced by ||', "!place && containerType === 'Client'"],
      ['people/profile', '&& replaced by ||', '!viewing && !actor.viewedBy'],
      ['exports/exports', '&& replaced by ||', "row.status === 'PENDING' && row.moved_at === null"],
      [
        'exports/exports',
        'where dropped',
        "selectAll().where('export_id', '=', exportId).where('status', '=', 'PENDING')",
      ],
      [
        'exports/exports',
        'where dropped',
        ".where('status', '=', row.status).where('missing', '=', row.missing)",
      ],
    ],
  },
  {
    why: 'the rows of the actor always exist, and an e-mail address belongs to one user at most: the check only narrows types',
    mutants: [
      ['firms/firms', '|| replaced by &&', '!row?.banner_key || !row.banner_type'],
      ['identity/external', '|| replaced by &&', '!claims || tokens.id_token === undefined'],
      ['people/profile', 'guard dropped', 'if (!row) throw notFound();'],
      ['firms/theme-settings', 'guard dropped', 'if (!row) throw notFound(); (2)'],
      ['firms/theme-settings', 'guard dropped', 'if (!row) throw notFound(); (3)'],
      ['identity/new-password', 'guard dropped', "if (!user) throw new PortalError('GONE');"],
      ['identity/identities', '&& replaced by ||', 'user && users.length === 1'],
    ],
  },
  {
    why: 'an empty list matches nothing on SQLite; PostgreSQL, which rejects one, runs the same tests',
    mutants: [
      ['sharing/under-way', 'guard dropped', 'if (recipients.length === 0) return 0;'],
      ['identity/invitations', 'guard dropped', 'if (clientIds.length === 0) return;'],
      ['documents/documents', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['documents/documents', 'guard dropped', 'if (ids.length === 0) return []; (2)'],
      ['documents/roles', 'guard dropped', 'which.containerIds.length === 0) return () => usual(actor);'],
      ['documents/trash', 'guard dropped', 'if (ids.length === 0) return new Map();'],
      ['documents/store', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['documents/trash', 'guard dropped', 'if (ids.length === 0) return new Set();'],
      ['documents/upload-rows', 'guard dropped', 'if (uploadIds.length === 0) return;'],
      ['documents/names', 'guard dropped', 'if (ids.length === 0) return new Map();'],
    ],
  },
  {
    why: 'an accepted invitation is shown as accepted in any case',
    mutants: [
      [
        'identity/invitations',
        'where dropped',
        ".where('email_key', '=', emailKey).where('accepted_at', 'is', null)",
      ],
    ],
  },
  {
    why: 'only whether the time of notification is set matters, not its value',
    mutants: [
      [
        'documents/upload-notifications',
        'where dropped',
        "set({ told_at: now() }).where('container_id', '=', containerId).where('by_staff', '=', byStaff).where('told_at', 'is', null)",
      ],
    ],
  },
  {
    why: 'the portal creates locks of one kind and level only (spec 1 section 6 defines more)',
    mutants: [
      ['documents/rights', 'where dropped', ".where('kind', '=', 'Read')"],
      ['documents/rights', 'where dropped', ".where('level', '=', 'Master')"],
      ['documents/roles', 'where dropped', ".where('kind', '=', 'Read')"],
      ['documents/store', 'where dropped', ".where('item_locks.kind', '=', 'Read')"],
      ['documents/store', 'where dropped', ".where('item_locks.level', '=', 'Master')"],
    ],
  },
  {
    why: 'the issuer is asked again for claims that it has already sent',
    mutants: [
      [
        'identity/external',
        '&& replaced by ||',
        "claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined",
      ],
    ],
  },
];

/** Removes whitespace and trailing commas, which the formatter changes. @param {string} code */
const unformatted = (code) => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

/**
 * Why a mutant is equivalent to the original, or undefined.
 *
 * @param {{ file: string, kind: string, key: string }} fault
 * @returns {string | undefined}
 */
export function whyEquivalent({ file, kind, key }) {
  const text = unformatted(key);
  const matches = (/** @type {[string, string, string]} */ [name, mutation, end]) =>
    file === `src/features/${name}.server.ts` && kind === mutation && text.endsWith(unformatted(end));
  return EQUIVALENT.find(({ mutants }) => mutants.some(matches))?.why;
}
