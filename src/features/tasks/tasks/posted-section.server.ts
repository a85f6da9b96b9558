import { flashCookie } from '#platform/http/flash.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { config } from '#platform/runtime/config.server.ts';

interface RefusedFile {
  name: string;
  code: string;
}

/** The flash message that lists the files that were refused. */
export const filesRefused = (refused: readonly RefusedFile[]): string =>
  flashCookie({
    type: 'danger',
    namespace: 'tasks',
    key: 'filesRefused',
    items: refused.map(({ name, code }) => ({ name, codes: [code] })),
  });

interface Posted {
  problems: readonly unknown[];
  conflicts: readonly unknown[];
  refused: readonly RefusedFile[];
}

/**
 * Where a posted section leads a browser without scripts: to the address in its field `next`, whose page says itself what
 * was saved, or back to `page` if something is wrong or a button changed the rows of a group.
 */
export function afterSection(
  page: string,
  form: FormData,
  { problems, conflicts, refused }: Posted,
): Response {
  const isWrong = problems.length + conflicts.length > 0;
  const button = String(form.getAll('form').at(-1) ?? '');
  const staysHere = isWrong || refused.length > 0 || button.includes(':') || !form.has('next');
  const to = safeRedirect(staysHere ? page : String(form.get('next')), config.origin, `/${config.base}/`);
  if (refused.length > 0) return redirectTo(to, [filesRefused(refused)]);
  if (!staysHere) return redirectTo(to);
  return redirectTo(to, [
    flashCookie({
      type: isWrong ? 'info' : 'success',
      namespace: 'tasks',
      key: conflicts.length > 0 ? 'savedConflict' : isWrong ? 'savedWrong' : 'saved',
    }),
  ]);
}
