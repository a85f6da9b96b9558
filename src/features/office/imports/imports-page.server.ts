import type { Actor } from '#features/base/people/people.ts';
import type { Column } from '#ui/table/table.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { STATES, type Import } from './imports.ts';
import { listImports } from './imports.server.ts';
import { importKindsFor, recordKind } from './kinds.server.ts';
import { fileProblemKey } from './problem-texts.ts';

interface Page {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session' | 'flash'>;
}

async function offeredKinds(actor: Actor): Promise<string[]> {
  const offered = [];
  for (const name of importKindsFor(actor))
    if ((await recordKind(name).isOffered?.(actor)) ?? true) offered.push(name);
  return offered;
}

/** The page of all imports: what may be imported and exported, where the file goes, and the earlier imports. */
export async function importsPage({ url, locals }: Page) {
  const { lang, pathTo, session, flash } = locals;
  const t = translationsFor(lang, 'imports');
  const kinds = await offeredKinds(session.actor);
  const nameOf = (kind: string): string => translate(lang, recordKind(kind).title);
  const columns: Column<Import>[] = [
    {
      key: 'file',
      label: t('columnFile'),
      text: ({ fileName }) => fileName,
      href: ({ id }) => pathTo(`staff/imports/${id}`),
      isRowHeader: true,
    },
    { key: 'kind', label: t('columnKind'), text: ({ kind }) => nameOf(kind) },
    {
      key: 'state',
      label: t('columnState'),
      text: ({ state, stoppedBy }) => t(stoppedBy === 'RIGHTS' ? 'state_stopped' : STATES[state]),
      textStyle: 'phrase',
    },
    { key: 'by', label: t('columnBy'), text: ({ by }) => by, textStyle: 'person' },
    { key: 'at', label: t('columnAt'), at: ({ createdAt }) => createdAt, textStyle: 'meta' },
  ];
  return {
    imports: await listImports(session.actor),
    columns,
    kinds: kinds.map((kind) => ({
      value: kind,
      text: nameOf(kind),
      isChosen: kind === url.searchParams.get('kind'),
    })),
    /** Why the file that was just sent is refused, beside its field. */
    problem:
      flash?.namespace === 'imports' && flash.type === 'danger'
        ? t(fileProblemKey(flash.key), flash.vars)
        : undefined,
    files: kinds.flatMap((kind) => [
      { url: pathTo(`staff/export/${kind}.csv`), text: t('asCsv', { kind: nameOf(kind) }) },
      { url: pathTo(`staff/export/${kind}.xlsx`), text: t('asXlsx', { kind: nameOf(kind) }) },
    ]),
    action: `/api/client-center/v1/imports?${new URLSearchParams({ r: url.pathname + url.search })}`,
  };
}
