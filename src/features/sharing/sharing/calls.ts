import { HTTPError } from 'ky';
import { http } from '#platform/http/http.ts';
import type { ShareAnswer, ShareRequest } from './sharing.ts';

export type ShareOutcome =
  { kind: 'sent'; share: ShareAnswer } | { kind: 'refused'; code: string; domains?: string[] };

/** POST /api/storage/v2/sharing/share. Never retried automatically: sharing twice sends two mails. */
export async function postShare(request: ShareRequest): Promise<ShareOutcome> {
  try {
    return {
      kind: 'sent',
      share: await http
        .post('/api/storage/v2/sharing/share', { json: request, retry: 0, timeout: 30_000 })
        .json<ShareAnswer>(),
    };
  } catch (error) {
    const problem =
      error instanceof HTTPError
        ? (error.data as { errors?: { code: string; domains?: string[] }[] } | undefined)?.errors?.[0]
        : undefined;
    return {
      kind: 'refused',
      code: problem?.code ?? 'CONNECTION',
      ...(problem?.domains && { domains: problem.domains }),
    };
  }
}
