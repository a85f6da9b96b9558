import { useEffect, useRef, useState } from 'react';
import type { ShareWord } from './share-messages.ts';

interface Props {
  code: string;
  t: (key: ShareWord) => string;
}

/** Copies the access code. If the browser refuses, the code is selected to be copied by hand. */
export function CopyCode({ code, t }: Props) {
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLElement>(null);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(code);
      setCopied(true);
    } catch {
      if (shown.current) getSelection()?.selectAllChildren(shown.current); // the browser refuses
    }
  }

  return (
    <p className="row">
      <code ref={shown}>{code}</code>
      <button type="button" className="button" onClick={() => void copy()}>
        {t('codeCopy')}
      </button>
      <span role="status">{isCopied ? t('codeCopied') : ''}</span>
    </p>
  );
}

/**
 * The content of the dialog after sharing with an access code: only its hash is stored, so this is the last
 * time that it can be shown.
 */
export function CodeToShare({ code, t, onDone }: Props & { onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <div className="stack">
      <h2 id="share-title" tabIndex={-1} ref={heading}>
        {t('sentTitle')}
      </h2>
      <p>{t('sentCode')}</p>
      <CopyCode code={code} t={t} />
      <div className="actions">
        <button type="button" className="button button-primary" onClick={onDone}>
          {t('done')}
        </button>
      </div>
    </div>
  );
}
