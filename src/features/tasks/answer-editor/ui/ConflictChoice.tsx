import { clockLocale } from '#platform/text/clock-locale.ts';
import type { Conflict } from '../answer-queue.ts';
import type { EditorWord } from './editor-messages.ts';

interface Props {
  conflict: Conflict | undefined;
  /** The address of the page, which shows the stored answer again. */
  page: string;
  locale: string;
  t: (key: EditorWord, vars?: Record<string, string | number>) => string;
  onMine: () => void;
  /** Joins both texts; only for long ones. */
  onBoth: ((stored: string) => void) | undefined;
}

/** Two people, or two devices, have answered one question: shows both answers, to choose one. */
export function ConflictChoice({ conflict, page, locale, t, onMine, onBoth }: Props) {
  if (!conflict) return null;
  const { stored, kept, by, isOwn, at, keptId } = conflict;
  const time = new Intl.DateTimeFormat(clockLocale(locale), { timeStyle: 'short' }).format(new Date(at));
  const texts = { stored: stored || t('noAnswer'), kept: kept || t('noAnswer'), name: by, time };
  return (
    <div className="alert alert-warning stack" role="alert" data-conflict="">
      <p>{t(isOwn ? 'conflictOwn' : 'conflictOther', texts)}</p>
      <div className="row">
        <button
          className="button"
          name="keep-stored"
          value={keptId}
          formAction={page}
          formEncType="application/x-www-form-urlencoded"
          formNoValidate
        >
          {t('conflictKeep')}
        </button>
        <button type="button" className="button" onClick={onMine}>
          {t('conflictMine')}
        </button>
        {onBoth && (
          <button type="button" className="button" onClick={() => onBoth(stored)}>
            {t('conflictBoth')}
          </button>
        )}
      </div>
    </div>
  );
}
