import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { clientOfDocument } from '#features/documents/documents/documents.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertManagesTasks, createTask } from '#features/tasks/tasks/creating.server.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { auditPayment, recordEvent, requestRow, UNPAID } from './internal/requests.server.ts';
import type { NewPayment } from './payments.ts';
import { paymentSettingsOf, waysOf } from './settings.server.ts';

/**
 * Requests a payment: creates its task, and adds the file of the invoice to the documents of the client if there is
 * one. FORBIDDEN; NOT_FOUND for a client or document that is not the actor's; INVALID for a way that is not set up, or
 * a document of another client; refused as an upload is. Returns the id of the task.
 */
export async function requestPayment(actor: Actor, input: NewPayment): Promise<string> {
  assertManagesTasks(actor);
  const ways = waysOf(await paymentSettingsOf(actor.companyId), input.currency);
  if (input.ways.length === 0 || input.ways.some((way) => !ways.includes(way)))
    throw new PortalError('INVALID', { field: 'ways' });
  if (!Number.isSafeInteger(input.amount) || input.amount <= 0)
    throw new PortalError('INVALID', { field: 'amount' });
  if (!input.file) return inTransaction(() => create(actor, input, input.documentId));
  let taskId = '';
  const folder = await uploadFolderOf(actor, input.clientId, 'firm');
  await uploadDocument(actor, {
    containerType: folder.containerType,
    containerId: folder.id,
    name: input.file.name,
    bytes: Readable.from(Buffer.from(await input.file.arrayBuffer())),
    announced: input.file.size,
    onConflict: 'rename',
    alongWith: async (documentId) => {
      taskId = await create(actor, input, documentId);
    },
  });
  return taskId;
}

async function create(
  actor: Actor,
  { clientId, invoiceNumber, amount, currency, dueDate, ways }: NewPayment,
  documentId: string | undefined,
): Promise<string> {
  const current = await actorNow(actor);
  if (documentId !== undefined && (await clientOfDocument(current, documentId)) !== clientId)
    throw new PortalError('INVALID', { field: 'documentId' });
  const { taskId } = await createTask(
    current,
    {
      clientId,
      type: 'payment_request',
      // of the spec, which every language translates
      label: `Payment Request - Invoice #${invoiceNumber}`,
      dueDate,
      sendNotification: true,
    },
    { acceptedBy: 'system', isPrepared: true },
  );
  const { companyId, contactId } = current;
  await db()
    .insertInto('payment_requests')
    .values({
      task_id: taskId,
      company_id: companyId,
      client_id: clientId,
      amount,
      currency,
      payee: (await firmOf(companyId)).name,
      reference: newReference(),
      invoice_number: invoiceNumber,
      document_id: documentId ?? null,
      offers_bank: ways.includes('bank') ? 1 : 0,
      offers_pix: ways.includes('pix') ? 1 : 0,
      offers_online: ways.includes('online') ? 1 : 0,
      ...UNPAID,
      failure: '',
    })
    .execute();
  await recordEvent({ taskId, source: 'firm', kind: 'requested', doneBy: contactId });
  const row = await requestRow(taskId);
  if (row) await auditPayment(row, contactId, 'payment.request', { amount, currency });
  return taskId;
}

/** Without letters and digits that are easily confused; also the transaction id of a Pix code. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const REFERENCE_LENGTH = 10;

const newReference = (): string =>
  Array.from({ length: REFERENCE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
