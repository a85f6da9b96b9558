import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { RequestOutcome } from '#features/brazil/service-requests/course.ts';
import type { ListedRequest } from '#features/brazil/service-requests/service-requests.ts';

/* What people are told about the state of a request. */

const day = (lang: Lang, text: string): string =>
  formatDate(LANGUAGES[lang], `${text.slice(0, 10)}T00:00:00Z`, 'UTC');

const OUTCOMES = {
  done: 'stateDone',
  declined: 'stateDeclined',
  cancelled: 'stateCanceled',
  lapsed: 'stateLapsed',
} as const satisfies Record<RequestOutcome, string>;

type Shown = Pick<ListedRequest, 'status' | 'outcome' | 'lapsesOn' | 'isMinimum'>;

/** The state as a sentence for the client. */
export function stateForClient({ status, outcome, lapsesOn, isMinimum }: Shown, lang: Lang): string {
  const t = translationsFor(lang, 'service-requests');
  switch (status) {
    case 'Draft':
      return t('stateDraft');
    case 'WaitingForAnswer':
      return t(isMinimum ? 'stateMinimum' : 'stateWithFirm');
    case 'WaitingForClient':
      return lapsesOn === null ? t('stateQuestion') : t('stateQuestionUntil', { date: day(lang, lapsesOn) });
    case 'WaitingForCorrection':
      return lapsesOn === null
        ? t('stateCorrection')
        : t('stateCorrectionUntil', { date: day(lang, lapsesOn) });
    case 'Replied':
      return t(OUTCOMES[outcome ?? 'done']);
  }
}

/** The state in a few words for the firm. */
export function stateForFirm({ status, outcome, isMinimum }: Shown, lang: Lang): string {
  const t = translationsFor(lang, 'service-requests');
  if (isMinimum && status === 'WaitingForAnswer') return t('stateMinimumFirm');
  return status === 'Replied' ? t(OUTCOMES[outcome ?? 'done']) : t(`status_${status}`);
}

export const dayText = (lang: Lang, text: string | null): string => (text === null ? '' : day(lang, text));
