import type { Session } from '#features/base/people/people.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { decideItem, type ItemDecision } from './reviewing.server.ts';

interface Page {
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The anchor of an item on the page of a review. */
export const itemId = (path: string): string => `item-${path.replaceAll('.', '-')}`;

/** The id of the field for the reason why an item is returned. */
export const reasonId = (path: string): string => `${itemId(path)}-reason`;

/** The buttons that decide about one item; each leads back to its place on the page. */
export function reviewActions(
  { locals: { session, pathTo } }: Page,
  { taskId, isAll }: { taskId: string; isAll: boolean },
) {
  const decide = async (
    path: string,
    decision: ItemDecision['decision'],
    form: FormData,
  ): Promise<Destination> => {
    const here = (missing?: string): string =>
      pathTo(`staff/tasks/${taskId}`, { show: isAll ? 'all' : undefined, missing });
    const place = `${here()}#${itemId(path)}`;
    const number = (name: string): number => Number(form.get(name)) || 0;
    try {
      await decideItem(session.actor, taskId, {
        path,
        decision,
        reason: String(form.get('reason') ?? '').replaceAll('\r\n', '\n'),
        submission: number('submission'),
        sequence: number('sequence'),
      });
    } catch (error) {
      const code = refusal(error)?.code;
      if (code === 'EMPTY') return { to: `${here(path)}#${reasonId(path)}` };
      if (code !== 'EDIT_CONFLICT') throw error;
      return { to: place, flash: { type: 'danger', namespace: 'task-review', key: 'refusedDecided' } };
    }
    return { to: place };
  };
  return {
    actions: Object.fromEntries(
      (['accepted', 'returned', 'open'] as const).map((decision) => [
        `decide-${decision}`,
        (path: string, form: FormData) => decide(path, decision, form),
      ]),
    ),
  };
}
