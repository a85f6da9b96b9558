import { exportedMessages } from '#features/task-messages/exporting.server.ts';
import { CSV_START, csvRow } from '#platform/tabular/csv-writer.ts';
import type { ExportedClient, ExportScope } from './scope.server.ts';

/**
 * The messages on the tasks of a client. The notes of the firm are in an export of the whole firm only: one of a client
 * may be given to the client.
 */
export async function* messagesCsv(
  { actor, clientId, lang }: ExportScope,
  client: ExportedClient,
): AsyncGenerator<string, void> {
  const columns = ['task', 'title', 'number', 'at', 'author', 'isByFirm', 'isInternal', 'isDeleted', 'text'];
  yield CSV_START + csvRow(columns);
  for await (const message of exportedMessages(actor, {
    lang,
    clientIds: client.ids,
    withNotes: clientId === null,
  }))
    yield csvRow([
      message.task,
      message.title,
      message.number,
      new Date(message.at).toISOString(),
      message.author,
      String(message.isByFirm),
      String(message.isInternal),
      String(message.isDeleted),
      message.text,
    ]);
}
