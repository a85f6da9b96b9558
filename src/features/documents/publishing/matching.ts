import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { evidenceInFileName, evidenceInText, type ClientIndex, type TaxIdHit } from './client-index.ts';
import { decide, withoutChance, type Evidence, type EvidenceSource } from './evidence.ts';
import type { FileProblem } from './publishing.ts';
import { taxIdsIn } from './tax-ids-in-text.ts';

/** What a client of the firm is to the person who publishes. */
export interface ClientState {
  isOwn: boolean;
  isArchived: boolean;
  mergedInto: string | null;
}

/** All clients of a firm, as the matching needs them. */
export interface FirmClients {
  index: ClientIndex;
  states: ReadonlyMap<string, ClientState>;
  /** The kinds of tax ids that are stored of a client. */
  taxIdKinds: ReadonlyMap<string, ReadonlySet<TaxIdKind>>;
  withTaxId: (kind: TaxIdKind, number: string) => Promise<readonly string[]>;
}

export interface FileToMatch {
  name: string;
  /** The text of a PDF; undefined if it has none or cannot be read. */
  text?: string | undefined;
  /** The client that a list names. */
  listed?: string | undefined;
}

export interface Match {
  clientId: string | undefined;
  problem: FileProblem | undefined;
  evidence: readonly Evidence[];
}

/** Finds for which client a file is. Only what all evidence agrees on has a client and no problem. */
export async function matchFile(firm: FirmClients, { name, text, listed }: FileToMatch): Promise<Match> {
  const inName = await knownTaxIds(firm, name, 'fileName');
  const inText = text === undefined ? undefined : await knownTaxIds(firm, text, 'pdf');
  const found = [
    ...(listed === undefined ? [] : [listEvidence(listed)]),
    ...evidenceInFileName(firm.index, name, inName.hits),
    ...(text === undefined || !inText ? [] : evidenceInText(firm.index, text, inText.hits)),
  ];
  const evidence = withoutChance(found.map((piece) => followMerged(firm, piece)));
  return matchOf(firm, withUnknown(firm, evidence, inName.unknown));
}

const listEvidence = (clientId: string): Evidence => ({
  kind: 'number',
  source: 'list',
  clientIds: [clientId],
});

async function knownTaxIds(
  firm: FirmClients,
  text: string,
  source: EvidenceSource,
): Promise<{ hits: TaxIdHit[]; unknown: TaxIdKind[] }> {
  const hits: TaxIdHit[] = [];
  const unknown: TaxIdKind[] = [];
  for (const { kind, number, ...candidate } of taxIdsIn(text, source)) {
    const clientIds = await firm.withTaxId(kind, number);
    if (clientIds.length > 0) hits.push({ ...candidate, clientIds });
    else if (candidate.isOfCompany && candidate.doubt === undefined) unknown.push(kind);
  }
  return { hits, unknown };
}

/** A client that was merged stands for the one that it was merged into. */
function followMerged({ states }: FirmClients, evidence: Evidence): Evidence {
  const lastOf = (id: string): string => {
    let last = id;
    for (let steps = 0; steps < MAX_MERGES; steps += 1) last = states.get(last)?.mergedInto ?? last;
    return last;
  };
  const clientIds = [...new Set(evidence.clientIds.map(lastOf))].toSorted();
  const isOnlyMerged = clientIds.length > 0 && !clientIds.some((id) => evidence.clientIds.includes(id));
  return { ...evidence, clientIds, ...(isOnlyMerged && { doubt: 'MERGED' as const }) };
}

const MAX_MERGES = 20;

/** A tax id of nobody contradicts a client who has another one of its kind. */
function withUnknown(
  firm: FirmClients,
  evidence: readonly Evidence[],
  unknown: readonly TaxIdKind[],
): readonly Evidence[] {
  const outcome = decide(evidence);
  if (outcome.kind !== 'sure') return evidence;
  const has = firm.taxIdKinds.get(outcome.clientId);
  if (!unknown.some((kind) => has?.has(kind))) return evidence;
  return [...evidence, { kind: 'taxId', source: 'fileName', clientIds: [], doubt: 'OTHER_TAX_ID' }];
}

function matchOf({ states }: FirmClients, evidence: readonly Evidence[]): Match {
  const outcome = decide(evidence);
  if (outcome.kind === 'none') return { clientId: undefined, problem: 'NO_MATCH', evidence };
  const problemOf = (id: string): FileProblem | undefined =>
    states.get(id)?.isOwn !== true ? 'OTHER' : states.get(id)?.isArchived ? 'ARCHIVED' : undefined;
  if (outcome.kind === 'several') {
    const problems = new Set(evidence.flatMap(({ clientIds }) => clientIds).map(problemOf));
    const isForNobody = problems.size > 0 && !problems.has(undefined);
    const problem = isForNobody ? (problems.has('OTHER') ? 'OTHER' : 'ARCHIVED') : 'SEVERAL';
    return { clientId: undefined, problem, evidence };
  }
  const { clientId } = outcome;
  const problem = problemOf(clientId);
  if (problem) return { clientId: undefined, problem, evidence };
  return { clientId, problem: outcome.kind === 'sure' ? undefined : 'CHECK', evidence };
}
