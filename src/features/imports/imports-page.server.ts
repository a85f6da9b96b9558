import type { Column } from '#ui/table/table.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { IMPORT_KINDS, type Import, type ImportKind } from './imports.ts';
import { listImports, mayImport } from './imports.server.ts';

interface Page {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The page of all imports: what may be imported and exported, where the file goes, and the earlier imports. */
export async function importsPage({ url, locals }: Page) {
  const { lang, pathTo, session } = locals;
  const t = translationsFor(lang, 'imports');
  const kinds = IMPORT_KINDS.filter((kind) => mayImport(session.actor, kind));
  const nameOf = (kind: ImportKind): string => t(`kind_${kind}`);
  const columns: Column<Import>[] = [
    {
      key: 'file',
      label: t('columnFile'),
      text: ({ fileName }) => fileName,
      href: ({ id }) => pathTo(`staff/imports/${id}`),
      isRowHeader: true,
    },
    { key: 'kind', label: t('columnKind'), text: ({ kind }) => nameOf(kind) },
    { key: 'state', label: t('columnState'), text: ({ state }) => t(`state_${state}`), textStyle: 'phrase' },
    { key: 'by', label: t('columnBy'), text: ({ by }) => by, textStyle: 'person' },
    { key: 'at', label: t('columnAt'), at: ({ createdAt }) => createdAt, textStyle: 'meta' },
  ];
  return {
    imports: await listImports(session.actor),
    columns,
    kinds: kinds.map((kind) => ({ value: kind, text: nameOf(kind) })),
    files: kinds.flatMap((kind) => [
      { url: pathTo(`staff/export/${kind}.csv`), text: t('asCsv', { kind: nameOf(kind) }) },
      { url: pathTo(`staff/export/${kind}.xlsx`), text: t('asXlsx', { kind: nameOf(kind) }) },
    ]),
    action: `/api/client-center/v1/imports?${new URLSearchParams({ r: url.pathname + url.search })}`,
  };
}
