import { formatMoment } from '#platform/formats.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ExportScope } from './scope.server.ts';

/** What is in the archive, and how to check it. */
export async function* readme({
  firm,
  clientId,
  lang,
  createdAt,
  actor,
}: ExportScope): AsyncGenerator<string, void> {
  const t = translationsFor(lang, 'data-exports');
  const moment = formatMoment(LANGUAGES[lang], createdAt, firm.timeZone);
  const files: [string, string][] = [
    ['index.html', t('fileIndex')],
    ...(clientId === null ? [['clients/', t('fileClients')] satisfies [string, string]] : []),
    ['documents/', t('fileDocuments')],
    ['manifest.json', t('fileManifest')],
    ['manifest.csv', t('fileManifestTable')],
    ['messages.csv', t(clientId === null ? 'fileMessagesNotes' : 'fileMessages')],
    ['receipts.csv', t('fileReceipts')],
    ['audit-log.csv', t('fileLog')],
    ['audit-log.jsonl', t('fileLogLines')],
    ['audit-checkpoints.txt', t('fileCheckpoints')],
  ];
  const lines = [
    t('readmeTitle', { firm: firm.name }),
    t('readmeBy', { moment, name: actor.fullName }),
    '',
    ...files.flatMap(([name, text]) => [name, `  ${text}`]),
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
