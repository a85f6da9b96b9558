import type { AnswerChanges, ChangeResult } from '#features/tasks/answer-editor/answer-editor.ts';
import { sendOnce, type Sent } from '#features/tasks/answer-editor/answer-queue.ts';
import type { CellChange, Outcome } from './payroll-entries.ts';

/*
 * The call by which the editor of a sheet saves while somebody types, in the form of the queue of answers. Without ky, as the
 * editor of answers.
 */

type SentChange = AnswerChanges['changes'][number];

/** In the queue a path is an employee and a column. */
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

/** Saves cells. */
export const sendCells = (sheetId: string, body: AnswerChanges): Promise<Sent> =>
  sendOnce<{ items?: Outcome[]; errors?: { code: string }[] }>({
    call: (options) => patch(sheetId, body, options),
    readResults: ({ items }) => items?.map((outcome, at) => resultOf(outcome, body.changes[at])),
    readCode: (_, answer) => answer?.errors?.[0]?.code ?? 'UNKNOWN',
  });

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
