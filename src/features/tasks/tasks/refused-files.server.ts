import { flashCookie } from '#platform/http/flash.server.ts';

/** The flash message that lists the files that were refused. */
export const filesRefused = (refused: readonly { name: string; code: string }[]): string =>
  flashCookie({
    type: 'danger',
    namespace: 'tasks',
    key: 'filesRefused',
    items: refused.map(({ name, code }) => ({ name, codes: [code] })),
  });
