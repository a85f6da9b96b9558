import { isPending } from '#features/tasks/tasks/rules.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { IconName } from '#ui/icons.ts';
import type { ListedTask } from './task-list.server.ts';

/** The state of a task in a few words, with what is left to do, and its icon. */
export function taskState(
  { status, isExpired, isReturned, settled, steps }: ListedTask,
  lang: Lang,
): [IconName, string] {
  const t = translationsFor(lang, 'tasks');
  if (!isPending(status)) return [status === 'Done' ? 'check' : 'clock', t(`status_${status}`)];
  if (isExpired) return ['lock', t('cardExpired')];
  if (isReturned) return ['circle-alert', t('returned')];
  if (status === 'New') return ['circle-dot', t('status_New')];
  return ['save', steps > 1 ? t('progress', { settled, steps }) : t('status_WIP')];
}
