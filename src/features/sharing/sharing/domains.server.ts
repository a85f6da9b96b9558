import { domainToASCII } from 'node:url';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { isEmailAddress } from '#platform/inputs/email-address.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/*
 * The domains that people of a firm may share with, if the firm restricts them (threat-model.md T43):
 * `example.com` is that domain alone, `*.example.com` all its subdomains. They are stored and compared in
 * ASCII and lower case.
 */

const MAX_DOMAINS = 200;

/** Lists the allowed domains of a firm, sorted; if there are none, all recipients are allowed. */
export async function domainsOf(companyId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('share_domains')
    .select('domain')
    .where('company_id', '=', companyId)
    .orderBy('domain')
    .execute();
  return rows.map((row) => row.domain);
}

/**
 * Sets the allowed domains of the actor's firm from a list as typed. FORBIDDEN without the permission to
 * manage the firm; INVALID with the invalid domains (`wrong`), or if there are more than 200 (`most`).
 */
export async function setDomains(actor: Actor, list: string): Promise<string[]> {
  if (!actor.staff || actor.viewedBy !== undefined || !actor.access.permissions.has('ManageFirm'))
    throw new PortalError('FORBIDDEN');
  const typed = list.split(/[\s,;]+/).filter((part) => part !== '');
  const wrong = typed.filter((part) => normalised(part) === undefined);
  if (wrong.length > 0) throw new PortalError('INVALID', { wrong });
  const domains = [...new Set(typed.flatMap((part) => normalised(part) ?? []))].toSorted();
  if (domains.length > MAX_DOMAINS) throw new PortalError('INVALID', { most: MAX_DOMAINS });
  await inTransaction(async () => {
    await db().deleteFrom('share_domains').where('company_id', '=', actor.companyId).execute();
    if (domains.length > 0)
      await db()
        .insertInto('share_domains')
        .values(domains.map((domain) => ({ company_id: actor.companyId, domain })))
        .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'share.domains',
      target: actor.companyId,
      details: { domains: domains.join(' ') },
    });
  });
  return domains;
}

/** Normalizes a domain, keeping a leading `*.`; undefined if it is invalid. */
function normalised(typed: string): string | undefined {
  const [, star = '', name = ''] = /^(\*\.|@)?([^/\\?#:@%]*?)\.?$/.exec(typed) ?? [];
  const ascii = domainToASCII(name);
  return isEmailAddress(`a@${ascii}`) && !/\.\d+$/.test(ascii)
    ? `${star === '*.' ? star : ''}${ascii}`
    : undefined;
}

/**
 * Throws DOMAIN_NOT_ALLOWED, with the allowed domains, unless the actor may share with all of these
 * addresses; their own is always allowed.
 */
export async function assertDomains(actor: Actor, addresses: readonly string[]): Promise<void> {
  const allowed = await domainsOf(actor.companyId);
  if (allowed.length === 0) return;
  const others = addresses.filter((address) => address.toLowerCase() !== actor.emailAddress.toLowerCase());
  if (
    !others.every((address) =>
      allowed.some((domain) => isOf(domainToASCII(address.slice(address.lastIndexOf('@') + 1)), domain)),
    )
  )
    throw new PortalError('DOMAIN_NOT_ALLOWED', { domains: allowed });
}

const isOf = (domain: string, allowed: string): boolean =>
  allowed.startsWith('*.') ? domain.endsWith(allowed.slice(1)) : domain === allowed;

/** The domains in an export of the whole firm. */
export const exportedDomains: Contributions['exports'][number] = {
  of: 'export',
  name: 'share-domains.csv',
  text: text('sharing', 'exportDomains'),
  isInternal: true,
  content: ({ lang, firm }) => exportedTable(lang, ['value'], domainRows(firm.companyId)),
};

async function* domainRows(companyId: string) {
  for (const value of await domainsOf(companyId)) yield { value };
}
