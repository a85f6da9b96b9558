import type {
  FiscalDocument,
  FiscalEntry,
  FiscalEvent,
  FiscalFile,
  FiscalRefusal,
  VoidedNumbers,
} from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { clientsWithTaxIds } from '../owners.server.ts';
import { participantsIn, recordsIn, taxIdsOfEvent, type Participant } from './records.server.ts';
import { accessKeyOf, type Part } from './rows.server.ts';

/* Whose the files are that came in, before anything is written. */

/** What a client gets of a file. */
export interface Target {
  documents: ({ document: FiscalDocument; position: number } & Part)[];
  events: readonly FiscalEvent[];
  voids: readonly VoidedNumbers[];
  isOther: boolean;
  /** The access keys of its documents and events. */
  keys: string[];
}

/** Why a file is not stored: what it is, or that events from anybody must be signed. */
export type PlanRefusal = FiscalRefusal | 'unsignedEvent';

export type Plan =
  | { kind: 'refused'; code: PlanRefusal }
  | { kind: 'setAside'; entries: readonly FiscalEntry[] }
  | { kind: 'stored'; targets: Map<string, Target>; isOther: boolean; hasDocuments: boolean };

interface Said {
  clientId: string;
  isCertain?: true;
  isForOneClient?: true;
  isFromAnybody?: true;
}

/** Decides for each file which clients of the actor get it. */
export async function planOf(actor: Actor, said: Said, files: readonly FiscalFile[]): Promise<Plan[]> {
  const records = files.map((file) => (file.kind === 'fiscal' ? recordsIn(file.entries) : undefined));
  const taxIds = records.flatMap((each) => (each ? taxIdsIn(each) : []));
  const byTaxId = await clientsWithTaxIds(actor, taxIds);
  const byKey = await clientsWithKeys(
    actor,
    records.flatMap((each) => each?.events.map(accessKeyOf).filter(Boolean) ?? []),
  );
  const known: Known = said.isForOneClient
    ? { byTaxId: onlyOf(said.clientId, byTaxId), byKey: onlyOf(said.clientId, byKey) }
    : { byTaxId, byKey };
  return files.map((file, at): Plan => {
    if (file.kind === 'refused') return { kind: 'refused', code: file.because };
    const own = records[at];
    const isEmpty = !own || own.documents.length + own.events.length + own.voids.length === 0;
    if (isEmpty) return storedAs(said.clientId, { isOther: true });
    if (said.isFromAnybody && !own.events.every(isSigned)) return { kind: 'refused', code: 'unsignedEvent' };
    if (own.documents.length > 0) return planOfDocuments(own, said, known, entriesOf(file));
    return planOfEvents(own, said, known, entriesOf(file));
  });
}

const onlyOf = (
  clientId: string,
  owners: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> =>
  new Map([...owners].map(([of, ids]) => [of, ids.filter((id) => id === clientId)]));

const isSigned = ({ signature: { state } }: FiscalEvent): boolean =>
  state === 'valid' || state === 'reformatted';

const entriesOf = (file: FiscalFile): readonly FiscalEntry[] => (file.kind === 'fiscal' ? file.entries : []);

type Records = ReturnType<typeof recordsIn>;

/** All tax ids that documents, events and voided numbers name. */
export const taxIdsIn = ({ documents, events, voids }: Records): string[] => [
  ...documents.flatMap((document) => participantsIn(document).map(({ taxId }) => taxId)),
  ...events.flatMap(taxIdsOfEvent),
  ...voids.map(({ issuer }) => issuer),
];

interface Known {
  byTaxId: ReadonlyMap<string, readonly string[]>;
  byKey: ReadonlyMap<string, readonly string[]>;
}

const storedAs = (clientId: string, { isOther }: { isOther: boolean }): Plan => ({
  kind: 'stored',
  targets: new Map([[clientId, { documents: [], events: [], voids: [], isOther, keys: [] }]]),
  isOther,
  hasDocuments: false,
});

/** Each client gets the documents in which it takes part, and what the file says about these. */
function planOfDocuments(
  { documents, events, voids }: Records,
  { clientId, isCertain }: Said,
  { byTaxId }: Known,
  entries: readonly FiscalEntry[],
): Plan {
  const targets = new Map<string, Target>();
  for (const [position, document] of documents.entries()) {
    const parts = partsIn(participantsIn(document), byTaxId);
    if (isCertain && !parts.has(clientId)) parts.set(clientId, { role: 'other', taxId: '' });
    for (const [owner, part] of parts) {
      const target = targets.get(owner) ?? { documents: [], events, voids, isOther: false, keys: [] };
      target.documents.push({ document, ...part, position });
      targets.set(owner, target);
    }
  }
  if (targets.size === 0) return { kind: 'setAside', entries };
  for (const target of targets.values()) {
    const keys = [...target.documents.map(({ document }) => document), ...events].map(accessKeyOf);
    target.keys = [...new Set(keys.filter(Boolean))];
  }
  return { kind: 'stored', targets, isOther: false, hasDocuments: true };
}

/** The most important part of each client. */
function partsIn(participants: readonly Participant[], byTaxId: Known['byTaxId']): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const { taxId, role } of participants)
    for (const clientId of byTaxId.get(taxId) ?? [])
      if (!parts.has(clientId)) parts.set(clientId, { role, taxId });
  return parts;
}

/**
 * Events name no recipient, and may come before their document: they go to who has it, else to whom they name, else to
 * the client they were sent for. Voided numbers are those of their issuer.
 */
function planOfEvents(
  { events, voids }: Records,
  { clientId, isCertain }: Said,
  { byTaxId, byKey }: Known,
  entries: readonly FiscalEntry[],
): Plan {
  const owners = new Set([
    ...events.flatMap((event) => byKey.get(accessKeyOf(event)) ?? []),
    ...events.flatMap((event) => taxIdsOfEvent(event).flatMap((taxId) => byTaxId.get(taxId) ?? [])),
    ...voids.flatMap(({ issuer }) => byTaxId.get(issuer) ?? []),
  ]);
  if (owners.size === 0 && events.length === 0 && !isCertain) return { kind: 'setAside', entries };
  const chosen = owners.size === 0 || owners.has(clientId) || isCertain ? [clientId] : [...owners];
  const keys = [...new Set(events.map(accessKeyOf).filter(Boolean))];
  const target = { documents: [], events, voids, isOther: false, keys };
  return {
    kind: 'stored',
    targets: new Map(chosen.map((owner) => [owner, target])),
    isOther: false,
    hasDocuments: false,
  };
}

/** The clients of the actor that have documents with these access keys. */
async function clientsWithKeys(actor: Actor, keys: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const some of inBatches([...new Set(keys)])) {
    const rows = await db()
      .selectFrom('fiscal_documents')
      .select(['client_id', 'access_key'])
      .where('company_id', '=', actor.companyId)
      .where('access_key', 'in', some)
      .where('client_id', 'in', clientIdsOf(actor))
      .orderBy('client_id')
      .execute();
    for (const { client_id: id, access_key: key } of rows) found.set(key, [...(found.get(key) ?? []), id]);
  }
  return found;
}
