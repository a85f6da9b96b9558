import { setReading } from '#features/documents/documents.server.ts';
import type { Actor } from '#features/people/people.ts';
import { PortalError } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { idsIn } from './for-trash.ts';
import { redirectTo } from '#platform/redirect.server.ts';
import type { PathTo } from '#platform/addresses.server.ts';

/**
 * Does with the chosen documents what a button of the list asks, and goes on: to the same list, or to what is
 * written about the first of them.
 */
export async function actOn(
  actor: Actor,
  pathTo: PathTo,
  act: string,
  form: FormData,
  page: string,
): Promise<Response> {
  const [first = '', ...others] = idsIn(form).slice(0, 500);
  if (first === '')
    return redirectTo(page, [flashCookie({ type: 'info', namespace: 'notes', key: 'nothingChosen' })]);
  if (act === 'comment') return redirectTo(pathTo(`documents/${encodeURIComponent(first)}/comments`));
  if (act !== 'markRead' && act !== 'markUnread') throw new PortalError('INVALID');
  const marked = await setReading(actor, { documentIds: [first, ...others], isRead: act === 'markRead' });
  const count = marked.filter(({ result }) => result === 'MARKED').length;
  return redirectTo(page, [
    flashCookie({
      type: 'success',
      namespace: 'notes',
      key: act === 'markRead' ? 'markedRead' : 'markedUnread',
      vars: { count },
    }),
  ]);
}
