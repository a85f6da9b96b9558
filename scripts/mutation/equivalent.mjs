// Equivalent mutants: no test can notice them, for the given reason. Each is a file in src/features, a kind,
// and the end of the original text; a second occurrence of the same text in a file ends with (2), and so on.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../toolchain.mjs';

/** @type {{ why: string, mutants: [file: string, kind: string, end: string][] }[]} */
const EQUIVALENT = [
  {
    why: 'the rows are looked up by ids that were already scoped to the actor, so additional rows are never used',
    mutants: [
      [
        'downloads/archive',
        'where dropped',
        "containersOf(actor).where('containers.client_id', 'in', clients)",
      ],
      [
        'documents/descendants',
        'where dropped',
        "containersOf(actor).where('client_id', '=', top.client_id)",
      ],
      ['documents/metadata', 'where dropped', ".where('document_id', 'in', some)"],
      ['folders/names', 'where dropped', "containersOf(actor).where('containers.container_id', 'in', ids)"],
      ['documents/rights', 'where dropped', ".where('containers.client_id', '=', start.client_id)"],
      ['documents/rights', 'where dropped', "selectAll().where('container_id', 'in', ids)"],
      [
        'documents/scope',
        'whereRef dropped',
        "e.selectFrom('item_metadata').select('item_metadata.meta_key').whereRef('item_metadata.document_id', '=', 'documents.document_id')",
      ],
      ['documents/scope', 'where dropped', "documentsOf(actor).where('documents.document_id', 'in', ids)"],
      ['documents/rights', 'where dropped', ".where('item_id', 'in', ids)"],
      ['clients/pending', 'where dropped', ".where('clients.client_id', 'in', clientIds)"],
      ['directory/people-grid', 'where dropped', ".where('contacts.contact_id', 'in', ids)"],
      ['people/last-seen', 'where dropped', ".where('contact_id', 'in', ids)"],
      ['people/last-seen', 'where dropped', ".where('actor', 'in', ids)"],
      ['people/names', 'where dropped', ".where('contact_id', 'in', ids)"],
      ['clients/clients', 'where dropped', ".where('client_id', 'in', ids)"],
      ['documents/names', 'where dropped', ".where('document_id', 'in', ids)"],
      ['folders/names', 'where dropped', ".where('container_id', 'in', ids)"],
      [
        'sharing/my-shares',
        'where dropped',
        ".where('share_id', 'in', shares.map((share) => share.share_id))",
      ],
      ['sharing/in-flight', 'where dropped', ".where('recipient_id', 'in', recipients)"],
    ],
  },
  {
    why: 'the remaining conditions contain an id or digest that is unique to one firm and one person',
    mutants: [
      [
        'documents/metadata',
        'where dropped',
        "documentsOf(actor).where('documents.client_id', '=', ClientId)",
      ],
      ['documents/metadata', 'where dropped', ".where('item_metadata.client_id', '=', clientId)"],
      [
        'uploads/internal/rows',
        'where dropped',
        ".where('contact_id', '=', actor.contactId).where('company_id', '=', actor.companyId)",
      ],
      [
        'people/last-seen',
        'where dropped',
        "e.fn.max('at').as('at')]).where('company_id', '=', actor.companyId)",
      ],
      ['receipts/receipts', 'where dropped', ".as('total')) .where('company_id', '=', actor.companyId)"],
      ['receipts/receipts', 'where dropped', ".where('receipts.company_id', '=', actor.companyId)"],
      [
        'sessions/devices',
        'where dropped',
        ".where('session_hash', '=', session.id) .where('prism_guid', '=', prismGuid)",
      ],
      ['invitations/first-owner', 'where dropped', "db().deleteFrom('settings').where('name', '=', SETTING)"],
      ['credentials/identities', 'where dropped', ".where('issuer', '=', issuer)"],
      [
        'invitations/invitations',
        'where dropped',
        "set({ accepted_at: now() }).where('invitation_id', '=', row.invitation_id)",
      ],
      [
        'second-factors/recovery-codes',
        'where dropped',
        ".where('code_hash', '=', digestOf(prismGuid, code)).where('prism_guid', '=', prismGuid)",
      ],
    ],
  },
  {
    why: 'the same condition is checked just before or after, within the same transaction or call',
    mutants: [
      [
        'sharing/internal/store',
        'where dropped',
        "set({ asked_again_at: now() }).where('recipient_id', '=', recipientId).where('asked_again_at', 'is', null)",
      ],
      ['people/people', 'guard dropped', "if (!session) throw new PortalError('UNAUTHENTICATED');"],
      [
        'sign-in/sign-in',
        'left operand only',
        '!(await secretMatches(input.password, user?.password_hash)) || !user',
      ],
      [
        'external-sign-in/external-sign-in',
        'guard dropped',
        "if (!claims || tokens.id_token === undefined) throw new Error('the identity token names nobody');",
      ],
      [
        'invitations/first-owner',
        'guard dropped',
        "if (!(await firstOwnerIsOpen(token))) throw new PortalError('GONE');",
      ],
      [
        'invitations/first-owner',
        'where dropped',
        ".where('name', '=', SETTING).where('value', '=', sha256(token))",
      ],
      [
        'invitations/invitations',
        'where dropped',
        ".where('invitation_id', '=', invitationId).where('accepted_at', 'is', null)",
      ],
      ['recovery/rescue', 'where dropped', ".where('rescue_codes.code_hash', '=', hashOf(code))"],
      [
        'recovery/rescue',
        'where dropped',
        ".where('contact_id', '=', found.contact_id).where('code_hash', '=', hashOf(code))",
      ],
      [
        'recovery/rescue',
        'where dropped',
        "db().deleteFrom('rescue_codes').where('contact_id', '=', found.contact_id)",
      ],
      [
        'invitations/invitations',
        'where dropped',
        ".where('token_hash', '=', sha256(token)).where('accepted_at', 'is', null)",
      ],
      [
        'recovery/reset',
        'where dropped',
        "db().deleteFrom('password_resets').where('token_hash', '=', sha256(token)).where('expires_at', '>', now())",
      ],
      ['downloads/queue', 'where dropped', "'total']).where('status', '=', 'PENDING')"],
      [
        'downloads/queue',
        'where dropped',
        ".where('export_id', '=', exportId).where('status', '=', 'PENDING')",
      ],
      ['trash/trash', 'guard dropped', 'if (!place) throw notFound();'],
      [
        'antivirus/antivirus',
        'where dropped',
        ".where('document_id', '=', documentId).where('scan', '=', 'pending')",
      ],
      [
        'trash/trash',
        'where dropped',
        "rows.map((row) => row.document_id)) .where('deleted_at', 'is', null)",
      ],
      [
        'trash/trash',
        'where dropped',
        ".where('document_id', 'in', ids) .where('deleted_at', 'is not', null)",
      ],
      ['folders/tree', '&& replaced by ||', "!top && type === 'Client'"],
      [
        'uploads/parts',
        'guard dropped',
        "if (offset !== row.received) throw new PortalError('OFFSET_MISMATCH', { offset: row.received });",
      ],
      [
        'uploads/parts',
        'guard dropped',
        "if (row.received !== row.size) throw new PortalError('OFFSET_MISMATCH', { offset: row.received });",
      ],
      [
        'uploads/parts',
        'guard dropped',
        'if (row.document_id !== null) return documentById(actor, row.document_id);',
      ],
      [
        'folders/counts',
        'where dropped',
        ".where('client_id', '=', clientId) .where(isOfOwnClient(actor, 'containers.client_id'))",
      ],
      ['invitations/first-owner', '|| replaced by &&', 'taken.numDeletedRows === 0n || (await hasFirm())'],
      ['documents/documents', 'guard dropped', 'if (!document) throw notFound(); (2)'],
      ['uploads/notifications', '&& replaced by ||', "!place && containerType === 'Client'"],
      ['people/profile', '&& replaced by ||', '!viewing && !actor.viewedBy'],
      ['downloads/exports', '&& replaced by ||', "row.status === 'PENDING' && row.moved_at === null"],
      [
        'downloads/exports',
        'where dropped',
        "selectAll().where('export_id', '=', exportId).where('status', '=', 'PENDING')",
      ],
      [
        'downloads/exports',
        'where dropped',
        ".where('status', '=', row.status).where('missing', '=', row.missing)",
      ],
    ],
  },
  {
    why: 'the rows of the actor always exist, and an e-mail address belongs to one user at most: the check only narrows types',
    mutants: [
      ['firms/firms', '|| replaced by &&', '!row?.banner_key || !row.banner_type'],
      ['external-sign-in/external-sign-in', '|| replaced by &&', '!claims || tokens.id_token === undefined'],
      ['people/profile', 'guard dropped', 'if (!row) throw notFound();'],
      ['firms/theme-settings', 'guard dropped', 'if (!row) throw notFound(); (2)'],
      ['firms/theme-settings', 'guard dropped', 'if (!row) throw notFound(); (3)'],
      ['credentials/passwords', 'guard dropped', "if (!user) throw new PortalError('GONE');"],
      ['credentials/identities', '&& replaced by ||', 'user && users.length === 1'],
    ],
  },
  {
    why: 'an empty list matches nothing on SQLite; PostgreSQL, which rejects one, runs the same tests',
    mutants: [
      ['sharing/in-flight', 'guard dropped', 'if (recipients.length === 0) return 0;'],
      ['documents/documents', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['folders/roles', 'guard dropped', 'which.containerIds.length === 0) return () => usual(actor);'],
      ['trash/trash', 'guard dropped', 'if (ids.length === 0) return new Map();'],
      ['documents/scope', 'guard dropped', 'if (ids.length === 0) return [];'],
      ['trash/trash', 'guard dropped', 'if (ids.length === 0) return new Set();'],
      ['uploads/internal/rows', 'guard dropped', 'if (uploadIds.length === 0) return;'],
      ['folders/names', 'guard dropped', 'if (ids.length === 0) return new Map();'],
    ],
  },
  {
    why: 'only whether the time of notification is set matters, not its value',
    mutants: [
      [
        'uploads/notifications',
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
      ['documents/scope', 'where dropped', ".where('item_locks.kind', '=', 'Read')"],
      ['documents/scope', 'where dropped', ".where('item_locks.level', '=', 'Master')"],
    ],
  },
  {
    why: 'the issuer is asked again for claims that it has already sent',
    mutants: [
      [
        'external-sign-in/external-sign-in',
        '&& replaced by ||',
        "claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined",
      ],
    ],
  },
];

/** Removes whitespace and trailing commas, which the formatter changes. @param {string} code */
const unformatted = (code) => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

/** The file of a feature in whatever area. @param {string} name */
const fileOf = (name) => globSync(`src/features/*/${name}.server.ts`, { cwd: root })[0] ?? name;

/**
 * The entries of the list whose file no longer exists, or no longer contains their text.
 *
 * @returns {string[]}
 */
export const outdatedEquivalents = () =>
  EQUIVALENT.flatMap(({ mutants }) => mutants)
    .filter(([name, , end]) => {
      const file = path.join(root, fileOf(name));
      const [, text = end, nth = '1'] = /^(.*) \((\d)\)$/.exec(end) ?? [];
      return (
        !existsSync(file) ||
        unformatted(readFileSync(file, 'utf8')).split(unformatted(text)).length <= Number(nth)
      );
    })
    .map(([name, kind, end]) => `${fileOf(name)}: ${kind}: ${end}`);

/**
 * Why a mutant is equivalent to the original, or undefined.
 *
 * @param {{ file: string, kind: string, key: string }} fault
 * @returns {string | undefined}
 */
export function whyEquivalent({ file, kind, key }) {
  const text = unformatted(key);
  const matches = (/** @type {[string, string, string]} */ [name, mutation, end]) =>
    file === fileOf(name) && kind === mutation && text.endsWith(unformatted(end));
  return EQUIVALENT.find(({ mutants }) => mutants.some(matches))?.why;
}
