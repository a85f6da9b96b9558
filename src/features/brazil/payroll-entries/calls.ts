import type { AnswerChanges, ChangeResult } from '#features/tasks/answer-editor/answer-editor.ts';
import type { Sent } from '#features/tasks/answer-editor/answer-queue.ts';
import { followRefusal } from '#platform/http/refused-calls.ts';
import type { CellChange, Outcome } from './payroll-entries.ts';

/*
 * The call by which the editor of a sheet saves while somebody types, in the form of the queue of answers. Without ky, as the
 * editor of answers.
 */

type SentChange = AnswerChanges['changes'][number];

/** A cell as a path of the queue: the employee and the column. */
const pathOf = (employeeId: string, column: string): string => `${employeeId}.${column}`;

const changeOf = ({ path, value, base }: SentChange): CellChange => {
  const [employeeId = '', column = ''] = path.split('.');
  return { employeeId, column, value: typeof value === 'number' ? value : null, base };
};

const patch = (sheetId: string, body: AnswerChanges, options: RequestInit): Promise<Response> =>
  fetch(`/api/br-payroll/v1/sheets/${sheetId}/cells`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes: body.changes.map(changeOf) }),
    ...options,
  });

/** Refused for now: the time is up, the connection is needed again, or there were too many calls. */
const RETRIED = [408, 425, 429];

/** Saves cells. Never repeated by itself: the queue sends again what it has no answer to. */
export async function sendCells(sheetId: string, body: AnswerChanges): Promise<Sent> {
  const response = await patch(sheetId, body, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (!response) return { kind: 'failed' };
  await followRefusal(response.url, response.status);
  if (response.status === 401) return { kind: 'signed-out' };
  const answer = (await response.json().catch(() => undefined)) as
    { items?: Outcome[]; errors?: { code: string }[] } | undefined;
  if (response.ok && answer?.items)
    return {
      kind: 'results',
      results: answer.items.map((outcome, at) => resultOf(outcome, body.changes[at])),
    };
  const isFinal = response.status >= 400 && response.status < 500 && !RETRIED.includes(response.status);
  return isFinal ? { kind: 'refused', code: answer?.errors?.[0]?.code ?? 'UNKNOWN' } : { kind: 'failed' };
}

/** Sends changes while the page is being left, which the browser finishes without it. */
export function leaveCells(sheetId: string, body: AnswerChanges): void {
  void patch(sheetId, body, { keepalive: true }).catch(() => undefined); // they are in the session storage
}

function resultOf(outcome: Outcome, sent: SentChange | undefined): ChangeResult {
  const path = sent?.path ?? '';
  if (outcome.kind === 'refused') return { path, result: 'refused', version: sent?.base ?? 0 };
  const { version } = outcome;
  if (outcome.kind !== 'conflict') return { path, result: 'saved', version };
  const text = (value: unknown): string => (typeof value === 'number' ? String(value) : '');
  return {
    path,
    result: 'conflict',
    version,
    conflict: {
      keptId: path,
      stored: text(outcome.value),
      kept: text(sent?.value),
      by: '',
      isOwn: false,
      at: '',
    },
  };
}
