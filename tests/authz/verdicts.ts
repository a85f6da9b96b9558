import { canariesIn, difference, type Answer, type Rows } from './asking.ts';
import { actsFor, firmsOf, mayMeet, type Person, type Rule } from './policy.ts';
import type { World } from './world.ts';

/** Marks of firms and clients in an answer that are not the caller's. The demo's mailbox is everybody's. */
export const strangersIn = (answer: Answer, rule: Rule, person: Person): string[] => (rule.who === 'demo' ? [] : [...canariesIn(answer)].filter((mark) => !mayMeet(person).has(mark) && !(rule.namesAllFirms && firmsOf(person).has(mark)) && !(mark === 'CANARY-GONE' && rule.showsDeleted?.includes(person))));

/** Tables whose rows name nobody. */
const NAMELESS: readonly string[] = ['limits', 'passkey_challenges'];

/** Rows that an allowed call should not have touched, or that are not the caller's own. Looking (HEAD) changes nothing. */
export function wrongChanges(world: World, before: Rows, after: Rows, { method, person, rule }: { method: string; person: Person; rule: Rule }): string[] {
  const changes = method === 'head' ? [] : [...(rule.changes ?? []), ...(rule.updates ?? [])];
  const differences = difference(before, after);
  /** A row in which only the count that this call keeps went on. */
  const isCounted = (table: string, row: string, came: boolean): boolean => {
    const column = method === 'head' ? undefined : rule.counts?.[table];
    const others = (text: string): string => JSON.stringify({ ...(JSON.parse(text) as NewRow), [column ?? '']: 0 });
    return column !== undefined && differences.some((one) => one.table === table && one.came !== came && others(one.row) === others(row));
  };
  return differences.flatMap(({ table, row, came }) => {
    if (isCounted(table, row, came)) return [];
    if (!changes.includes(table)) return [`changes ${table}: ${row}`];
    if (NAMELESS.includes(table)) return [];
    if (rule.trashes && table !== 'receipts' && table !== 'uploads') return table !== 'documents' || isOwnPaper(world, person, JSON.parse(row) as NewRow) ? [] : [`changes a document of somebody else: ${row}`];
    if (rule.gives && table === 'container_roles') return isGivenByStaff(world, person, JSON.parse(row) as NewRow) ? [] : [`gives somebody of another firm a role: ${row}`];
    if (!came && (rule.alters || rule.ends?.includes(table)) && isOwn(world, person, JSON.parse(row) as NewRow)) return [];
    if (!came) return table === 'limits' || rule.updates?.includes(table) ? [] : [`takes a row away from ${table}: ${row}`];
    return isOwn(world, person, JSON.parse(row) as NewRow) ? [] : [`writes a row of somebody else into ${table}: ${row}`];
  });
}

interface NewRow {
  container_id?: string;
  company_id?: string;
  client_id?: string;
  created_by?: string;
  sender_contact_id?: string;
  contact_id?: string;
  /** Whom a receipt was issued to. */
  actor?: string;
  prism_guid?: string;
  deleted_at?: number | null;
  uploaded_by_staff?: 0 | 1;
}

/** Whether a document is one that the caller may delete. */
function isOwnPaper(world: World, person: Person, row: NewRow): boolean {
  const actor = world.actors[person];
  return actor !== undefined && actsFor(person).some((key) => world.clients[key].id === row.client_id) && (actor.staff || row.created_by === actor.contactId);
}

/** Whether a role is given by staff, in a container of their clients, to a contact of their firm. */
function isGivenByStaff(world: World, person: Person, { container_id: container = '', contact_id: contact }: NewRow): boolean {
  const actor = world.actors[person];
  const isTheirs = Object.values(world.actors).some(({ contactId, companyId }) => contactId === contact && companyId === actor?.companyId);
  return actor?.staff === true && isTheirs && actsFor(person).some((key) => Object.values(world.clients[key].places).includes(container));
}

/** Whether a new row names the caller's own firm, one of their clients, and themselves. */
function isOwn(world: World, person: Person, row: NewRow): boolean {
  const actor = world.actors[person];
  if (person === 'a link recipient') return row.client_id === world.clients.own.id && row.actor?.startsWith('recipient_') === true;
  if (!actor) return false;
  const clients = actsFor(person).map((key) => world.clients[key].id);
  const { company_id: company = actor.companyId, created_by: creator = actor.contactId, sender_contact_id: sender = actor.contactId, contact_id: contact = actor.contactId, actor: acts = actor.contactId } = row;
  return company === actor.companyId && (row.prism_guid ?? actor.prismGuid) === actor.prismGuid && [creator, sender, contact, acts].every((id) => id === actor.contactId) && (row.client_id === undefined || clients.includes(row.client_id)) && (row.deleted_at ?? null) === null && (row.uploaded_by_staff ?? Number(actor.staff)) === Number(actor.staff);
}
