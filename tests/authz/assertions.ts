import { canariesIn, difference, type Answer, type Rows } from './requests.ts';
import { actsFor, firmsOf, mayMeet, type Person, type Rule } from './policy.ts';
import type { World } from './world.ts';

/** Canaries of other firms and clients in a response. The demo mailbox is visible to everybody. */
export const strangersIn = (answer: Answer, rule: Rule, person: Person): string[] =>
  rule.who === 'demo'
    ? []
    : [...canariesIn(answer)].filter(
        (mark) =>
          !mayMeet(person).has(mark) &&
          !(rule.namesAllFirms && firmsOf(person).has(mark)) &&
          !(mark === 'CANARY-GONE' && rule.showsDeleted?.includes(person)),
      );

/** Tables without references to people. */
const IMPERSONAL: readonly string[] = ['limits', 'passkey_challenges'];
/**
 * The job that records a failed sign-in in the audit logs of all the person's firms: encrypted, and without a
 * firm.
 */
const isImpersonal = (table: string, row: string): boolean =>
  IMPERSONAL.includes(table) || (table === 'jobs' && (JSON.parse(row) as NewRow).kind === 'sign-in-refused');

/** Rows that follow others: what waits in the inbox, what mails and notifications are about. */
const FOLLOWING: readonly string[] = [
  'inbox_targets',
  'mail_targets',
  'mail_links',
  'notification_targets',
  'notification_mails',
];

/**
 * Unexpected changes of a permitted call: in other tables, or in other people's rows. Safe requests change
 * nothing.
 */
export function wrongChanges(
  world: World,
  before: Rows,
  after: Rows,
  { method, person, rule }: { method: string; person: Person; rule: Rule },
): string[] {
  const changes = method === 'head' ? [] : [...(rule.changes ?? []), ...(rule.updates ?? [])];
  const differences = difference(before, after);
  /** A row in which only the counter of this call has changed. */
  const isCounted = (table: string, row: string, came: boolean): boolean => {
    const column = method === 'head' ? undefined : rule.counts?.[table];
    const others = (text: string): string =>
      JSON.stringify({ ...(JSON.parse(text) as NewRow), [column ?? '']: 0 });
    return (
      column !== undefined &&
      differences.some((one) => one.table === table && one.came !== came && others(one.row) === others(row))
    );
  };
  return differences.flatMap(({ table, row, came }) => {
    if (isCounted(table, row, came)) return [];
    // to download or view a document changes what follows from it: the inbox, and whether a mail was of use
    const isOpening = changes.includes('receipts') || changes.includes('document_reads');
    const isWrite = method !== 'head' && (method !== 'get' || isOpening);
    if (table === 'inbox_items' && isWrite)
      return isOfOwnClient(world, person, JSON.parse(row) as NewRow)
        ? []
        : [`changes the inbox about somebody else: ${row}`];
    if (table === 'notifications' && isWrite)
      return isOfOwnFirm(world, person, JSON.parse(row) as NewRow)
        ? []
        : [`tells people of another firm or client: ${row}`];
    if (table === 'mails' && isWrite && (changes.includes('jobs') || changes.includes('receipts')))
      return isOfOwnFirm(world, person, JSON.parse(row) as NewRow)
        ? []
        : [`changes a mail of another firm or client: ${row}`];
    if (isWrite && FOLLOWING.includes(table)) return [];
    if (!changes.includes(table)) return [`changes ${table}: ${row}`];
    if (isImpersonal(table, row)) return [];
    if (rule.ofClient?.includes(table)) {
      const values = JSON.parse(row) as NewRow;
      return values.client_id === undefined || isOfOwnClient(world, person, values)
        ? []
        : [`changes a row of somebody else in ${table}: ${row}`];
    }
    if (rule.trashes && table !== 'receipts' && table !== 'uploads')
      return table !== 'documents' || isOwnDocument(world, person, JSON.parse(row) as NewRow)
        ? []
        : [`changes a document of somebody else: ${row}`];
    if (rule.gives && table === 'container_roles')
      return isGivenByStaff(world, person, JSON.parse(row) as NewRow)
        ? []
        : [`gives somebody of another firm a role: ${row}`];
    if (
      !came &&
      (rule.alters || rule.ends?.includes(table)) &&
      isOwn(world, person, JSON.parse(row) as NewRow)
    )
      return [];
    if (!came)
      return table === 'limits' || rule.updates?.includes(table)
        ? []
        : [`takes a row away from ${table}: ${row}`];
    return isOwn(world, person, JSON.parse(row) as NewRow)
      ? []
      : [`writes a row of somebody else into ${table}: ${row}`];
  });
}

interface NewRow {
  kind?: string;
  container_id?: string;
  company_id?: string;
  client_id?: string;
  created_by?: string;
  sender_contact_id?: string;
  contact_id?: string;
  /** The actor of a receipt. */
  actor?: string;
  prism_guid?: string;
  deleted_at?: number | null;
  uploaded_by_staff?: 0 | 1;
}

/** Whether an entry of the inbox is about a client of this person: what they do to documents shows there. */
const isOfOwnClient = (world: World, person: Person, { client_id: id }: NewRow): boolean =>
  (person === 'a link recipient' ? (['own'] as const) : actsFor(person)).some(
    (key) => world.clients[key].id === id,
  );

/** Whether a mail is sent by this person's firm, and about a client of theirs or none. */
const isOfOwnFirm = (world: World, person: Person, row: NewRow): boolean =>
  row.company_id === (world.actors[person] ?? world.actors['the own contact'])?.companyId &&
  (typeof row.client_id !== 'string' || isOfOwnClient(world, person, row));

function isOwnDocument(world: World, person: Person, row: NewRow): boolean {
  const actor = world.actors[person];
  return (
    actor !== undefined &&
    actsFor(person).some((key) => world.clients[key].id === row.client_id) &&
    (actor.staff || row.created_by === actor.contactId)
  );
}

/** Whether staff assigned a role in a container of their clients to a contact of their firm. */
function isGivenByStaff(
  world: World,
  person: Person,
  { container_id: container = '', contact_id: contact }: NewRow,
): boolean {
  const actor = world.actors[person];
  const isTheirs = Object.values(world.actors).some(
    ({ contactId, companyId }) => contactId === contact && companyId === actor?.companyId,
  );
  return (
    actor?.staff === true &&
    isTheirs &&
    actsFor(person).some((key) => Object.values(world.clients[key].places).includes(container))
  );
}

/** Whether a new row names the caller's own firm, one of their clients, and themselves. */
function isOwn(world: World, person: Person, row: NewRow): boolean {
  const actor = world.actors[person];
  if (person === 'a link recipient')
    return row.client_id === world.clients.own.id && row.actor?.startsWith('recipient_') === true;
  if (!actor) return false;
  const clients = actsFor(person).map((key) => world.clients[key].id);
  const {
    company_id: company = actor.companyId,
    created_by: creator = actor.contactId,
    sender_contact_id: sender = actor.contactId,
    contact_id: contact = actor.contactId,
    actor: acts = actor.contactId,
  } = row;
  return (
    company === actor.companyId &&
    (row.prism_guid ?? actor.prismGuid) === actor.prismGuid &&
    [creator, sender, contact, acts].every((id) => id === actor.contactId) &&
    (row.client_id === undefined || clients.includes(row.client_id)) &&
    (row.deleted_at ?? null) === null &&
    (row.uploaded_by_staff ?? Number(actor.staff)) === Number(actor.staff)
  );
}
