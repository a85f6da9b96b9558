import { formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  filesOfClient,
  filesOfExport,
  folderOf,
  textOf,
  type ExportedFile,
  type ExportScope,
} from '../contributions.server.ts';

/** What is in the archive, and how to check it. */
export async function* readme(scope: ExportScope): AsyncGenerator<string, void> {
  const { firm, clientId, lang, createdAt, actor } = scope;
  const t = translationsFor(lang, 'data-exports');
  const moment = formatMoment(LANGUAGES[lang], createdAt, firm.timeZone);
  const lines = [
    t('readmeTitle', { firm: firm.name }),
    t('readmeBy', { moment, name: actor.fullName }),
    '',
    ...(clientId === null
      ? [...listed(firmFiles(scope)), '', t('readmeOfClients'), '', ...listed(clientFiles(scope))]
      : listed([
          ['index.html', t('fileIndex')],
          ...clientFiles(scope),
          ...described(scope, filesOfExport(scope)),
        ])),
    '',
    t('readmeTables'),
    '',
    t('readmeOmitted'),
    '',
    t('readmeDigest'),
    '',
    t('readmeChain'),
    '  sha256(JSON.stringify([previous hash, firm, seq, at, actor, action, target, details]))',
    '',
  ];
  yield lines.join('\r\n');
}

type Described = [name: string, text: string];

const listed = (files: readonly Described[]): string[] =>
  files.flatMap(([name, text]) => [name, `  ${text}`]);

/** At the top of an export of the firm. */
function firmFiles(scope: ExportScope): Described[] {
  const t = translationsFor(scope.lang, 'data-exports');
  return [
    ['index.html', t('fileIndex')],
    ['clients/', t('fileClients')],
    ['manifest.json', t('fileManifests')],
    ...described(scope, filesOfExport(scope)),
  ];
}

/** In the folder of a client, besides its page. */
function clientFiles(scope: ExportScope): Described[] {
  const t = translationsFor(scope.lang, 'data-exports');
  return [
    ['documents/', t('fileDocuments')],
    ['manifest.json', t('fileManifest')],
    ['manifest.csv', t('fileManifestTable')],
    ...described(scope, filesOfClient(scope)),
  ];
}

const described = (scope: ExportScope, files: readonly ExportedFile[]): Described[] =>
  files.map((file) => {
    const folder = file.attached ? `, ${folderOf(file.name)}` : '';
    return [`${file.name}${folder}`, textOf(scope, file)];
  });
