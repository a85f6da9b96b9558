import type { Lang } from '#platform/text/languages.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Evidence } from './evidence.ts';
import type { BatchFile } from './publishing.ts';
import type { NamedClient } from './review.server.ts';

type Named = ReadonlyMap<string, NamedClient>;

/** Says what was found for a file and where, and why it is not certain. */
export const evidenceText = (lang: Lang, evidence: readonly Evidence[], clients: Named): string =>
  evidence.map((piece) => sentenceOf(lang, piece, clients)).join(' ');

function sentenceOf(lang: Lang, { kind, source, clientIds, doubt }: Evidence, clients: Named): string {
  const t = translationsFor(lang, 'publishing');
  const or = new Intl.ListFormat(LANGUAGES[lang], { type: 'disjunction' });
  const named = clientIds.map((id) => clientText(lang, clients.get(id)));
  const what =
    doubt === 'OTHER_TAX_ID'
      ? t('what_OTHER_TAX_ID')
      : t(`what_${kind}`, { client: or.format([...new Set(named)]) });
  const found = t(`found_${source}`, { what });
  return doubt === undefined || doubt === 'OTHER_TAX_ID' ? found : `${found} ${t(`doubt_${doubt}`)}`;
}

function clientText(lang: Lang, client: NamedClient | undefined): string {
  const t = translationsFor(lang, 'publishing');
  if (!client || client.kind === 'other') return t('someoneElse');
  const name = client.code === '' ? client.name : `${client.code} · ${client.name}`;
  return client.kind === 'archived' ? t('archivedClient', { client: name }) : name;
}

/** The clients that a person may choose for a file, as the evidence names them; the proposed one alone if there is one. */
export function candidatesFor({ clientId, problem, evidence }: BatchFile, clients: Named): NamedClient[] {
  if (problem === null || problem === 'DUPLICATE') return [];
  const ids = clientId === null ? evidence.flatMap((piece) => piece.clientIds) : [clientId];
  return [...new Set(ids)]
    .flatMap((id) => clients.get(id) ?? [])
    .filter(({ kind }) => kind === 'own')
    .slice(0, MAX_CANDIDATES);
}

const MAX_CANDIDATES = 3;
