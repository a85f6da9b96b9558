import type { RequestOutcome, RequestStatus } from '#features/brazil/service-requests/course.ts';
import type { Urgency } from '#features/brazil/service-requests/deadlines.ts';
import { stateForFirm } from '#features/brazil/service-request-pages/status.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Chip } from '#ui/chips.ts';

const CHIPS: Readonly<Record<RequestStatus, Chip>> = {
  Draft: { tone: 'neutral', icon: 'circle-dashed' },
  WaitingForAnswer: { tone: 'info', icon: 'inbox' },
  WaitingForClient: { tone: 'neutral', icon: 'clock' },
  WaitingForCorrection: { tone: 'neutral', icon: 'undo-2' },
  Replied: { tone: 'success', icon: 'circle-check' },
};
/** What has ended without being done. */
const ENDED: Chip = { tone: 'neutral', icon: 'ban' };

const URGENT: Readonly<Record<Urgency, Chip>> = {
  late: { tone: 'danger', icon: 'circle-alert' },
  urgent: { tone: 'warning', icon: 'alert-triangle' },
  near: { tone: 'warning', icon: 'clock' },
};

interface ShownState {
  status: RequestStatus;
  outcome: RequestOutcome | null;
  isMinimum: boolean;
  lapsesOn: string | null;
  urgency: Urgency | undefined;
}

/** The state of a request as a chip for the firm: how urgent it is, if it is for the firm to act. */
export function requestState(state: ShownState, lang: Lang): { text: string; chip: Chip } {
  const { status, outcome, urgency } = state;
  const t = translationsFor(lang, 'service-request-desk');
  if (urgency !== undefined) return { text: t(urgency), chip: URGENT[urgency] };
  if (status !== 'Replied') return { text: t(`status_${status}`), chip: CHIPS[status] };
  return { text: stateForFirm(state, lang), chip: outcome === 'done' ? CHIPS.Replied : ENDED };
}
