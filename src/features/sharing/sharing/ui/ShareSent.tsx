import { useEffect, useRef } from 'react';
import { formatMoment } from '#platform/text/formats.ts';
import { CopyCode } from './CopyCode.tsx';
import type { ShareWord } from './share-messages.ts';

export interface Sent {
  names: string;
  expiresAt: string;
  /** Empty without an access code. */
  code: string;
}

interface Props {
  sent: Sent;
  sharedUrl: string;
  locale: string;
  t: (key: ShareWord, vars?: Record<string, string>) => string;
  onDone: () => void;
}

/**
 * The content of the dialog after sharing. Only the hash of an access code is stored, so this is the last time that it
 * can be shown.
 */
export function ShareSent({ sent: { names, expiresAt, code }, sharedUrl, locale, t, onDone }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

  return (
    <div className="share-sent">
      <div className="share-body stack">
        <h2 id="share-title" tabIndex={-1} ref={heading}>
          {t('sendDocsSuccessMsg', { names })}
        </h2>
        <p>{t('sentUntil', { moment: formatMoment(locale, expiresAt, timeZone) })}</p>
        {code !== '' && (
          <>
            <p>{t('sentCode')}</p>
            <p className="row">
              <code>{code}</code>
              <CopyCode code={code} t={t} />
            </p>
          </>
        )}
      </div>
      <div className="actions">
        <a className="button" href={sharedUrl}>
          {t('sentView')}
        </a>
        <button type="button" className="button button-primary" onClick={onDone}>
          {t('done')}
        </button>
      </div>
    </div>
  );
}
