import type { FrozenAnswer } from '#features/tasks/questionnaires/rules.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { db } from '#platform/database/database.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { RequestFinding } from './service-requests.ts';

/** What a submission freezes. */
export interface SubmittedContent {
  request: { id: string; number: string; type: RequestType };
  form: string;
  answers: FrozenAnswer[];
  /** What the rules said, with the client's reasons. */
  findings: RequestFinding[];
}

export interface Submission {
  number: number;
  submittedAt: number;
  submittedBy: string;
  sha256: string;
  receipt: number | null;
  content: SubmittedContent;
}

/** A submission of a request by its number; undefined if there is none. */
export async function submissionOf(requestId: string, number: number): Promise<Submission | undefined> {
  const row = await db()
    .selectFrom('service_request_submissions')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('number', '=', number)
    .executeTakeFirst();
  return (
    row && {
      number: Number(row.number),
      submittedAt: Number(row.submitted_at),
      submittedBy: row.submitted_by,
      sha256: row.content_sha256,
      receipt: row.receipt === null ? null : Number(row.receipt),
      content: contentIn(row),
    }
  );
}

/** The documents that the answers of a submission consist of. */
export const filesIn = (content: SubmittedContent | undefined): string[] =>
  (content?.answers ?? []).flatMap(({ kind, value }) =>
    kind === 'files' && Array.isArray(value) ? value : [],
  );

/** How many documents were not there yet when each request was sent last, by its id. */
export async function pendingDocuments(
  requests: readonly { request_id: string; submission: number }[],
): Promise<ReadonlyMap<string, number>> {
  if (requests.length === 0) return new Map();
  const newest = new Map(requests.map((row) => [row.request_id, Number(row.submission)]));
  const rows = await db()
    .selectFrom('service_request_submissions')
    .select(['request_id', 'submission_id', 'number', 'content'])
    .where('request_id', 'in', [...newest.keys()])
    .execute();
  return new Map(
    rows
      .filter((row) => Number(row.number) === newest.get(row.request_id))
      .map((row): [string, number] => [row.request_id, countPending(contentIn(row))]),
  );
}

const countPending = ({ answers }: SubmittedContent): number =>
  answers.filter(
    ({ kind, value }) => kind === 'files' && typeof value === 'object' && value !== null && 'notYet' in value,
  ).length;

const contentIn = (row: { submission_id: string; content: string }): SubmittedContent =>
  JSON.parse(
    decryptFrom('service_request_submissions.content', row.submission_id, row.content),
  ) as SubmittedContent;

/** Compares every submission with its digest. */
export async function verifyRequests(): Promise<string[]> {
  const faults: string[] = [];
  let after = '';
  for (;;) {
    const rows = await db()
      .selectFrom('service_request_submissions')
      .select(['submission_id', 'content', 'content_sha256'])
      .where('submission_id', '>', after)
      .orderBy('submission_id')
      .limit(200)
      .execute();
    for (const { submission_id: id, content, content_sha256: digest } of rows)
      if (sha256(decryptFrom('service_request_submissions.content', id, content)) !== digest)
        faults.push(`The submission ${id} of a service request does not have the content of its digest.`);
    const last = rows.at(-1);
    if (!last) return faults;
    after = last.submission_id;
  }
}
