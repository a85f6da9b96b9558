import type { Actor } from '#features/base/people/people.ts';
import { calendarOfFirm } from '#features/base/work-calendars/firm-holidays.server.ts';
import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { db } from '#platform/database/database.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { asCurrent, assertKeeps, assertWrites, todayOf } from './access.server.ts';
import { sheetsSettled, sheetSubmitted } from './events.server.ts';
import { lockSheet, type SheetRow } from './internal/rows.server.ts';
import { nextNoticeOn } from './months.ts';
import { sheetName } from './names.server.ts';
import { aboutSheet, notifyClient, notifyFirm } from './notices.server.ts';
import type { ReturnInput } from './payroll-entries.ts';
import { findIssues, opened } from './sheets.server.ts';

/* The course of a sheet: sent by the client, returned or closed by the firm, reopened. */

/**
 * Sends a sheet to the firm, with a receipt over what it contains. EMPTY if nothing is filled in; INCOMPLETE with the findings
 * if something is wrong, or should be looked at and is not confirmed. CLOSED, NOT_POSSIBLE, FORBIDDEN, NOT_FOUND.
 */
export const submitSheet = (
  actor: Actor,
  sheetId: string,
  { isConfirmed }: { isConfirmed: boolean },
): Promise<{ receipt: number | undefined }> =>
  asCurrent(actor, assertWrites, async (current) => {
    const row = await lockSheet(current, sheetId);
    assertOpen(row);
    if (Number(row.cells_filled) === 0) throw new PortalError('EMPTY');
    const sheet = await opened(current, row);
    const findings = await findIssues(sheet);
    if (findings.some(({ blocks }) => blocks || !isConfirmed))
      throw new PortalError('INCOMPLETE', { findings: findings.slice(0, 100) });
    const receipt = await storeSubmission(current, row, {
      columns: sheet.columns,
      rows: sheet.entries.map(({ employee, cells }) => ({
        employeeId: employee.id,
        registration: employee.registration,
        name: employee.name,
        values: Object.fromEntries(Object.entries(cells).map(([key, { value }]) => [key, value])),
      })),
      findings,
    });
    const name = sheetName(await languageOfFirm(row.company_id), row);
    const { company_id: companyId, client_id: clientId } = row;
    await sheetSubmitted.announce({ companyId, clientId, sheetId, name });
    await notifyFirm(row);
    return receipt;
  });

/** Freezes what is sent, with a receipt over its digest. */
async function storeSubmission(
  actor: Actor,
  row: SheetRow,
  content: object,
): Promise<{ receipt: number | undefined }> {
  const [id, number] = [newId('submission'), Number(row.submission) + 1];
  const text = JSON.stringify({
    sheet: {
      id: row.sheet_id,
      list: row.list_id,
      version: Number(row.list_version),
      competence: row.competence,
    },
    ...content,
  });
  const digest = sha256(text);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'submission',
    actor: actor.contactId,
    documents: [
      {
        documentId: row.sheet_id,
        clientId: row.client_id,
        name: `${row.name} ${row.competence}`,
        size: Buffer.byteLength(text),
        sha256: digest,
      },
    ],
  });
  await db()
    .insertInto('payroll_submissions')
    .values({
      submission_id: id,
      sheet_id: row.sheet_id,
      number,
      submitted_at: now(),
      submitted_by: actor.contactId,
      content: encryptFor('payroll_submissions.content', id, text),
      content_sha256: digest,
      receipt: receipt.receipt ?? null,
    })
    .execute();
  await recordDone([aboutSheet(row.sheet_id)]);
  await change(actor, row, 'submit', {
    columns: {
      status: 'submitted',
      submission: number,
      submitted_at: now(),
      returned: null,
      undo: null,
      next_notice_on: '',
    },
    details: { submission: number, sha256: digest, ...receipt },
  });
  return { receipt: receipt.receipt };
}

/** Takes back a sheet that was sent, to change it. CLOSED, NOT_POSSIBLE, FORBIDDEN, NOT_FOUND. */
export const takeBackSheet = (actor: Actor, sheetId: string): Promise<void> =>
  asCurrent(actor, assertWrites, async (current) => {
    const row = await lockSheet(current, sheetId);
    assertSubmitted(row);
    await change(current, row, 'take-back', {
      columns: { status: 'draft', next_notice_on: await nextNotice(row) },
    });
    await sheetsSettled.announce({ sheetIds: [sheetId] });
  });

/**
 * Returns a sheet that was sent with a reason. With cells only these are open, otherwise all. CLOSED, NOT_POSSIBLE, FORBIDDEN,
 * NOT_FOUND.
 */
export const returnSheet = (actor: Actor, sheetId: string, input: ReturnInput): Promise<void> =>
  asCurrent(actor, assertKeeps, async (current) => {
    const row = await lockSheet(current, sheetId);
    assertSubmitted(row);
    await recordDone([aboutSheet(sheetId)]);
    await change(current, row, 'return', {
      columns: {
        status: 'returned',
        next_notice_on: await nextNotice(row),
        returned: encryptFor('payroll_sheets.returned', sheetId, JSON.stringify(input)),
      },
    });
    await sheetsSettled.announce({ sheetIds: [sheetId] });
    await notifyClient(row, 'returned');
  });

/** Closes a sheet, whatever was sent: nobody changes it any more. Does nothing to a closed one. FORBIDDEN, NOT_FOUND. */
export const closeSheet = (actor: Actor, sheetId: string): Promise<void> =>
  asCurrent(actor, assertKeeps, async (current) => {
    const row = await lockSheet(current, sheetId);
    if (row.closed_at !== null) return;
    await recordDone([aboutSheet(sheetId)]);
    await change(current, row, 'close', {
      columns: { closed_at: now(), closed_by: current.contactId, undo: null, next_notice_on: '' },
    });
    await sheetsSettled.announce({ sheetIds: [sheetId] });
  });

/**
 * Replies to a sheet that was sent, which closes it: the client reads what the firm says. CLOSED, NOT_POSSIBLE, FORBIDDEN,
 * NOT_FOUND.
 */
export const replyToSheet = (actor: Actor, sheetId: string, { text }: { text: string }): Promise<void> =>
  asCurrent(actor, assertKeeps, async (current) => {
    const row = await lockSheet(current, sheetId);
    assertSubmitted(row);
    await recordDone([aboutSheet(sheetId)]);
    await change(current, row, 'reply', {
      columns: {
        closed_at: now(),
        closed_by: current.contactId,
        next_notice_on: '',
        reply: encryptFor('payroll_sheets.reply', sheetId, text),
      },
    });
    await sheetsSettled.announce({ sheetIds: [sheetId] });
    await notifyClient(row, 'replied');
  });

/** Opens a closed sheet again, as it was before. Does nothing to an open one. FORBIDDEN, NOT_FOUND. */
export const reopenSheet = (actor: Actor, sheetId: string): Promise<void> =>
  asCurrent(actor, assertKeeps, async (current) => {
    const row = await lockSheet(current, sheetId);
    if (row.closed_at === null) return;
    await change(current, row, 'reopen', {
      columns: {
        closed_at: null,
        closed_by: null,
        reply: null,
        next_notice_on: row.status === 'submitted' ? '' : await nextNotice(row),
      },
    });
    await notifyClient(row, 'reopened');
  });

/** Of a sheet that is open again is reminded again. */
const nextNotice = async (row: SheetRow): Promise<string> =>
  nextNoticeOn(row.due_on, await todayOf(row.company_id), await calendarOfFirm(row.company_id));

function assertOpen(row: SheetRow): void {
  if (row.closed_at !== null) throw new PortalError('CLOSED');
  if (row.status === 'submitted') throw new PortalError('NOT_POSSIBLE');
}

function assertSubmitted(row: SheetRow): void {
  if (row.closed_at !== null) throw new PortalError('CLOSED');
  if (row.status !== 'submitted') throw new PortalError('NOT_POSSIBLE');
}

type Changed = Partial<
  Pick<
    SheetRow,
    | 'status'
    | 'submission'
    | 'submitted_at'
    | 'returned'
    | 'undo'
    | 'next_notice_on'
    | 'closed_at'
    | 'closed_by'
    | 'reply'
  >
>;

async function change(
  actor: Actor,
  row: SheetRow,
  action: 'submit' | 'take-back' | 'return' | 'reply' | 'close' | 'reopen',
  { columns, details = {} }: { columns: Changed; details?: Record<string, string | number> },
): Promise<void> {
  await db()
    .updateTable('payroll_sheets')
    .set({ ...columns, version: Number(row.version) + 1, changed_at: now() })
    .where('sheet_id', '=', row.sheet_id)
    .execute();
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: `payroll-sheet.${action}`,
    target: row.sheet_id,
    clientId: row.client_id,
    details,
  });
}
