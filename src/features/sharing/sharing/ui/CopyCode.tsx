import { useState } from 'react';
import type { ShareWord } from './share-messages.ts';

interface Props {
  code: string;
  t: (key: ShareWord) => string;
}

/** Copies the access code, which is visible beside it to be copied by hand if the browser refuses. */
export function CopyCode({ code, t }: Props) {
  const [isCopied, setCopied] = useState(false);

  const copy = (): Promise<void> =>
    navigator.clipboard.writeText(code).then(
      () => setCopied(true),
      () => undefined, // the browser refuses
    );

  return (
    <>
      <button type="button" className="button" onClick={() => void copy()}>
        {t('codeCopy')}
      </button>
      <span role="status">{isCopied ? t('codeCopied') : ''}</span>
    </>
  );
}
