import { clientsByCode } from '#features/clients/clients/bulk.server.ts';
import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import type { BatchProblem, Invitation } from '#features/identity/invitations/invitations.ts';
import { inviteMany, type Listed } from '#features/identity/invitations/batches.server.ts';
import { invite, prepareInvitation } from '#features/identity/invitations/invitations.server.ts';
import type { Actor, StaffRole } from '#features/base/people/people.ts';
import { fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { emailAddressOrText } from '#platform/inputs/email-address.ts';
import { emailAddress, name } from '#platform/inputs/line-schemas.ts';
import { readLine } from '#platform/inputs/text.ts';
import type { Lang } from '#platform/text/languages.ts';

/** Someone to add: clients by their numbers or ids. */
export interface NewPerson {
  firstName: string;
  lastName: string;
  emailAddress: string;
  language: Lang;
  role: StaffRole | 'contact';
  scope: 'all' | 'assigned';
  codes: string;
  /** Clients besides those of the numbers, by id. */
  clientIds?: readonly string[];
  send: boolean;
}

/**
 * Adds a person by an invitation, which is sent now or later. NOT_FOUND with the `code` of an unknown client; other
 * refusals as of {@link invite}.
 */
export async function addPerson(
  actor: Actor,
  { role, scope, codes, clientIds = [], send, ...person }: NewPerson,
): Promise<Invitation> {
  const wanted = splitCodes(codes);
  const known = await clientsByCode(actor, wanted);
  const others = wanted.filter((code) => !known.has(fold(code)));
  const ids = others.filter((code) => code.startsWith('client_'));
  for (const id of (await clientsByIds(actor, ids)).keys()) known.set(fold(id), id);
  const unknown = others.find((code) => !known.has(fold(code)));
  if (unknown !== undefined) throw new PortalError('NOT_FOUND', { code: unknown });
  const request = {
    ...person,
    clientIds: [...new Set([...clientIds, ...known.values()])],
    ...(role !== 'contact' && { role, hasAllClients: role === 'owner' || scope === 'all' }),
  };
  return send ? invite(actor, request) : prepareInvitation(actor, request);
}

/** The client numbers, or ids, in a text, which commas, semicolons or spaces separate. */
export const splitCodes = (text = ''): string[] => text.split(/[\s,;]+/).filter((code) => code !== '');

/**
 * Invites the people of a list with one line for each: name, email address, client numbers. Returns the id of the
 * batch, which has the problems of lines.
 */
export async function inviteListed(actor: Actor, text: string, language: Lang): Promise<string> {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((one) => one.text !== '')
    .map((one) => ({ ...one, ...cellsOf(one.text) }));
  const known = await clientsByCode(
    actor,
    lines.flatMap(({ codes }) => codes),
  );
  const people: Listed[] = [];
  const problems: BatchProblem[] = [];
  for (const { line, text: typed, ...cells } of lines) {
    const code = problemOf(actor, cells, known);
    if (code !== undefined) problems.push({ line, text: typed.slice(0, 200), code });
    else people.push({ line, language, ...named(cells.name), ...personIn(cells, known) });
  }
  return inviteMany(actor, people, problems);
}

interface Cells {
  name: string;
  email: string;
  codes: string[];
}

/** The cells of a line, which commas, semicolons or tabs separate; the address may be in angle brackets. */
function cellsOf(line: string): Cells {
  const [, before, address, after = ''] = /^([^<>]*)<([^<>]*)>([^<>]*)$/.exec(line) ?? [];
  if (before !== undefined && address !== undefined)
    return {
      name: readLine(before.replaceAll(/[",;]/g, ' ')),
      email: emailAddressOrText(address),
      codes: splitCodes(after),
    };
  const [fullName = '', email = '', ...codes] = line.split(/[,;\t]/).map(readLine);
  return { name: fullName, email: emailAddressOrText(email), codes: splitCodes(codes.join(' ')) };
}

function problemOf(
  actor: Actor,
  { name: fullName, email, codes }: Cells,
  known: Map<string, string>,
): BatchProblem['code'] | undefined {
  if (!name.safeParse(fullName).success) return 'name';
  if (!emailAddress.safeParse(email).success) return 'email';
  if (codes.some((code) => !known.has(fold(code)))) return 'client';
  return codes.length === 0 && !actor.hasAllClients ? 'noClient' : undefined;
}

const personIn = ({ email, codes }: Cells, known: Map<string, string>) => ({
  emailAddress: email,
  clientIds: [...new Set(codes.flatMap((code) => known.get(fold(code)) ?? []))],
});

/** The last word is the last name. */
function named(fullName: string): { firstName: string; lastName: string } {
  const at = fullName.lastIndexOf(' ');
  return at < 0
    ? { firstName: fullName, lastName: '' }
    : { firstName: fullName.slice(0, at), lastName: fullName.slice(at + 1) };
}
