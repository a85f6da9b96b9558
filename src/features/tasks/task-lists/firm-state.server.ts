import { isPending } from '#features/tasks/tasks/rules.ts';
import type { TaskStatus } from '#features/tasks/tasks/tasks.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Chip } from '#ui/chips.ts';

const CHIPS: Record<TaskStatus, Chip> = {
  New: { tone: 'neutral', icon: 'circle-dashed' },
  WIP: { tone: 'neutral', icon: 'circle-dot' },
  Received: { tone: 'info', icon: 'inbox' },
  Done: { tone: 'success', icon: 'circle-check' },
  Cancelled: { tone: 'neutral', icon: 'ban' },
};

/** The state of a task in the firm's words, as a chip: with how far the client is, in one that waits for them. */
export function firmState(
  lang: Lang,
  { status, isReturned, settled, steps }: FirmTaskState,
): { text: string; chip: Chip; note?: string } {
  const t = translationsFor(lang, 'tasks');
  if (isReturned) return { text: t('firm_Returned'), chip: { tone: 'warning', icon: 'undo-2' } };
  return {
    text: t(`firm_${status}`),
    chip: CHIPS[status],
    ...(isPending(status) && settled > 0 && { note: `${settled}/${steps}` }),
  };
}

interface FirmTaskState {
  status: TaskStatus;
  isReturned: boolean;
  settled: number;
  steps: number;
}
