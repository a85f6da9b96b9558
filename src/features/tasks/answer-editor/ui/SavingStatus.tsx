import { useStore } from '@nanostores/react';
import { useEffect, useState } from 'react';
import type { T } from '#platform/text/messages.ts';
import { termsFrom } from '#platform/http/refused-calls.ts';
import type { AnswerQueue } from '../answer-queue.ts';
import type { EditorWord, FileWord, OwnerWord } from './editor-messages.ts';

/** How long nothing must be typed before "changes saved" is read out, in ms. */
const QUIET = 2000;

interface Props {
  queue: AnswerQueue;
  t: T<EditorWord>;
  files: T<FileWord>;
  own: T<OwnerWord>;
  viewingText: string;
}

/** Says whether everything is saved. It is read out only when that changes for longer than a moment. */
export function SavingStatus({ queue, t, files, own, viewingText }: Props) {
  const state = useStore(queue.$state, { ssr: 'initial' });
  const refusal = useStore(queue.$refusal, { ssr: 'initial' });
  const refusals: Partial<Record<string, string>> = {
    EMULATION_READ_ONLY: viewingText,
    TERMS_REQUIRED: files('reasonTerms'),
  };
  const text = {
    idle: '',
    saving: t('saving'),
    saved: t('saved'),
    waiting: t('notSavedYet'),
    refused: refusals[refusal] ?? t('notSaved'),
    closed: own('closedMeanwhile'),
    'read-only': '', // said in an alert
  }[state];
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    if (state === 'saving' || state === 'idle') return undefined;
    const timer = setTimeout(() => setAnnounced(text), state === 'saved' ? QUIET : 0);
    return () => clearTimeout(timer);
  }, [state, text]);
  return (
    <>
      <span className="hint saving-state" data-state={state} data-saving-state="">
        {text}
      </span>
      {state === 'refused' && refusal === 'TERMS_REQUIRED' && (
        <a className="button" href={termsFrom(location)} target="_blank">
          {files('uploadTerms')}
        </a>
      )}
      <span className="visually-hidden" role="status">
        {announced}
      </span>
    </>
  );
}
