import { MOST_CHARACTERS, newComment, type Comment } from '#features/notes/notes.ts';
import { addComment, removeComment } from '#features/notes/notes.server.ts';
import type { Actor } from '#features/people/people.ts';
import { minutesToWait, notFound, refusal } from '#platform/errors.server.ts';
import { flashCookie, type Flash } from '#platform/flash.server.ts';
import { formatNumber } from '#platform/formats.ts';
import { LANGUAGES, type Lang } from '#platform/languages.ts';
import { wordsFor } from '#platform/words.server.ts';
import { goTo } from './go-to.ts';

/** Does what the form of the comments page asks, and goes back to it; or answers what was typed and what is wrong with it. */
export async function commentFrom(actor: Actor, lang: Lang, documentId: string, form: FormData, page: string): Promise<Response | { typed: string; problem: string }> {
  const t = wordsFor(lang, 'notes');
  const said = (type: Flash['type'], key: 'added' | 'deleted' | 'tooLate'): Response => goTo(page, [flashCookie({ type, room: 'notes', key })]);
  const gone = form.get('delete');
  try {
    if (typeof gone === 'string') {
      await removeComment(actor, gone);
      return said('success', 'deleted');
    }
    const written = form.get('text');
    const typed = typeof written === 'string' ? written : '';
    const { data, error } = newComment.safeParse({ documentId, text: typed });
    if (data) {
      await addComment(actor, data);
      return said('success', 'added');
    }
    const over = typed.replaceAll('\r\n', '\n').trim().length - MOST_CHARACTERS;
    const number = (value: number): string => formatNumber(LANGUAGES[lang], value);
    if (error.issues.some(({ path }) => path[0] !== 'text')) throw notFound();
    return { typed, problem: over > 0 ? t('tooLong', { most: number(MOST_CHARACTERS), over: number(over) }) : t('missing') };
  } catch (error) {
    const no = refusal(error);
    if (no?.code === 'FORBIDDEN') return said('info', 'tooLate');
    if (no?.code !== 'TOO_MANY') throw error;
    return { typed: String(form.get('text')), problem: t('tooMany', { minutes: minutesToWait(no) }) };
  }
}

/** The comment that the address asks to delete; undefined where it names none that may go. */
export const askedToDelete = (comments: readonly Comment[], asked: URLSearchParams): Comment | undefined => comments.find(({ id, permissions }) => permissions.delete && id === asked.get('delete'));
