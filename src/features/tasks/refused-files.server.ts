import type { ErrorCode } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';

/** The flash message that lists the files that were refused. */
export const filesRefused = (refused: readonly { name: string; code: ErrorCode }[]): string =>
  flashCookie({
    type: 'danger',
    namespace: 'tasks',
    key: 'filesRefused',
    items: refused.map(({ name, code }) => ({ name, codes: [code] })),
  });
