import type { Session } from '#features/base/people/people.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import type { ItemOutcome } from './fiscal-intake.ts';
import { countsOf, intakeFor, itemsOf } from './intakes.server.ts';
import { refusalText } from './refusals.server.ts';

interface Page {
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

type Text = KeysOf<'fiscal-intake'>;

/** The sentence about the files of an outcome, in the order in which they are told. */
const SENTENCES = [
  ['stored', 'countStored'],
  ['event', 'countEvent'],
  ['other', 'countOther'],
  ['known', 'countKnown'],
  ['twin', 'countTwin'],
  ['elsewhere', 'countElsewhere'],
  ['setAside', 'countSetAside'],
  ['refused', 'countRefused'],
] as const satisfies readonly (readonly [ItemOutcome, Text])[];

const OUTCOME_TEXTS = {
  stored: 'outcomeStored',
  event: 'outcomeEvent',
  other: 'outcomeOther',
  known: 'outcomeKnown',
  twin: 'outcomeTwin',
  elsewhere: 'outcomeElsewhere',
  setAside: 'outcomeSetAside',
} as const satisfies Record<Exclude<ItemOutcome, 'refused'>, Text>;

/** What needs a look comes first, so that it is on the page of a large archive, too. */
const NOTABLE: readonly ItemOutcome[] = ['refused', 'setAside', 'elsewhere', 'twin'];
const MAX_SHOWN = 500;

/** What became of the files of an intake. */
export async function intakePage({ locals: { lang, session, pathTo } }: Page, intakeId: string) {
  const { actor } = session;
  const intake = await intakeFor(actor, intakeId);
  const counts = await countsOf(intakeId);
  const notable = await itemsOf(intakeId, { outcomes: NOTABLE, limit: MAX_SHOWN });
  const others = await itemsOf(intakeId, {
    outcomes: ['stored', 'event', 'other', 'known'],
    limit: MAX_SHOWN,
  });
  const names = await clientNames(
    session,
    notable.map(({ client_id: id }) => id),
  );
  const documents = await documentsIn([...notable, ...others].map(({ file_id: id }) => id));
  const t = translationsFor(lang, 'fiscal-intake');
  const total = Object.values(counts).reduce((all, count) => all + count, 0);
  const rows = [...notable, ...others].slice(0, MAX_SHOWN).map((row) => {
    const documentId = documents.get(row.file_id);
    const client = names.get(row.client_id) ?? '';
    return {
      id: row.number,
      name: row.name,
      href:
        documentId === undefined
          ? undefined
          : pathTo(`actions/box-e/documents/${documentId}`, { client: row.client_id }),
      text:
        row.outcome === 'refused' ? refusalText(lang, row.code) : t(OUTCOME_TEXTS[row.outcome], { client }),
      isProblem: row.outcome === 'refused',
    };
  });
  return {
    intake,
    total,
    sentences: SENTENCES.flatMap(([outcome, text]) => {
      const count = counts[outcome] ?? 0;
      return count === 0 ? [] : [{ text: t(text, { count }), isProblem: outcome === 'refused' }];
    }),
    rows,
    leftOut: Math.max(0, total - rows.length),
  };
}

async function clientNames({ actor }: Session, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await clientIdsOf(actor)
    .select('clients.name')
    .where('clients.client_id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ client_id: id, name }) => [id, name]));
}

/** The document of each file that has one. */
async function documentsIn(fileIds: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(fileIds)].filter(Boolean);
  if (ids.length === 0) return new Map();
  const rows = await db()
    .selectFrom('fiscal_copies')
    .select(['file_id', 'document_id'])
    .where('file_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ file_id: file, document_id: document }) => [file, document]));
}
