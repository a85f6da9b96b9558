import { useStore } from '@nanostores/react';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { createTranslator, type Messages } from '#platform/text/messages.ts';
import { Icon } from '#ui/Icon.tsx';
import { canRetry } from '../refusals.ts';
import { $unfinished, $uploads, isUnderWay, type UploadingFile } from '../state.ts';
import { FileSender, loadUnfinished } from './file-sender.ts';
import { useSessionOver } from './SignedOut.tsx';
import { announceWhenDone } from './upload-alerts.ts';
import type { UploaderWord } from './uploader-messages.ts';
import { UploadPanel } from './UploadPanel.tsx';
import { useFileChoice } from './use-file-choice.ts';
import { useLeaveWarning } from './use-leave-warning.ts';

/** A folder that staff publish to; the plain form sends the `value`. */
interface Place {
  value: string;
  endpoint: string;
  name: string;
  isChosen: boolean;
}

interface Props {
  /** The target URL of the files; the plain form has the same. */
  endpoint: string;
  returnTo: string;
  folderName: string;
  /** Staff publish, clients upload. */
  isPublishing: boolean;
  /** The folders to choose from, if there is a choice. */
  places?: readonly Place[] | undefined;
  /** The accepted extensions, in the format of a file field: `.pdf,.txt`. */
  accept: string;
  /** Whether the person may create folders in the target. */
  mayAddFolders: boolean;
  /** The page that makes one PDF of photos, for those who may use it. */
  scan?: { url: string; label: string } | undefined;
  words: Messages<UploaderWord>;
}

/** How long stored files stay below the bar, in milliseconds. */
const STAY = 8000;

/**
 * Uploads documents: choose or drop files or folders, each with its progress below the bar that it is in. Before
 * scripts it is a plain form to the same URL.
 */
export function Uploader(props: Props) {
  const { endpoint, returnTo, folderName, isPublishing, places, accept, mayAddFolders, scan, words } = props;
  const t = useMemo(() => createTranslator(words), [words]);
  const files = Object.values(useStore($uploads, { ssr: 'initial' }));
  const unfinished = useStore($unfinished, { ssr: 'initial' });
  const choice = useRef<HTMLSelectElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const shown = useRef<HTMLDivElement>(null);
  const [sender] = useState(() => new FileSender());
  const isBusy = files.some(isUnderWay);
  const isSignedOut = useUploadsSignedOut(sender);
  useEffect(() => () => sender.destroy(), [sender]);
  useEffect(() => announceWhenDone(t), [t]);
  useEffect(() => void loadUnfinished(), []);
  useLeaveWarning(isBusy);
  useRemovalOfStored(!isBusy && files.some(isStored), sender, shown);

  const { pick, pickFolder, drop } = useFileChoice(sender, {
    target: () => places?.find(({ value }) => value === choice.current?.value)?.endpoint ?? endpoint,
    accept,
    mayAddFolders,
    locale: words.locale,
    t,
  });

  function close(): void {
    chooser.current?.focus();
    for (const { id } of files) void sender.remove(id);
  }

  return (
    <form
      className="uploader"
      aria-label={t(isPublishing ? 'publishTitle' : 'uploadTitle')}
      method="post"
      encType="multipart/form-data"
      action={`${endpoint}${endpoint.includes('?') ? '&' : '?'}onConflict=rename&r=${encodeURIComponent(returnTo)}`}
    >
      <div className="upload-ways">
        {places && <PlaceChoice label={t('publishTo')} places={places} choice={choice} />}
        <label
          className="upload-choose choose-files"
          title={places ? undefined : `${t('uploadTo')} ${folderName}`}
          onDragOver={(event) => event.preventDefault()}
          onDrop={drop}
        >
          <span className="button button-primary">
            <Icon name="upload" />
            {t('uploadSubmit')}
          </span>
          <input ref={chooser} type="file" name="file[]" multiple required accept={accept} onChange={pick} />
        </label>
        <button className="button button-primary upload-submit">{t('uploadSubmit')}</button>
        {scan && (
          <a className="button upload-scan" href={scan.url} title={scan.label} aria-label={scan.label}>
            <Icon name="camera" />
            <span>{scan.label}</span>
          </a>
        )}
        {mayAddFolders && (
          <button
            type="button"
            className="button upload-folder"
            title={t('uploadFolder')}
            aria-label={t('uploadFolder')}
            onClick={pickFolder}
          >
            <Icon name="folder-up" />
          </button>
        )}
      </div>
      {(unfinished.length > 0 || isSignedOut || files.length > 0) && (
        <div ref={shown} className="card stack upload-panel">
          <UploadPanel
            folderName={places ? undefined : folderName}
            {...{ files, unfinished, isSignedOut, t, close }}
            locale={words.locale}
            retry={(id) => void sender.retry(id)}
            remove={(id) => void sender.remove(id)}
          />
        </div>
      )}
    </form>
  );
}

interface PlaceChoiceProps {
  label: string;
  places: readonly Place[];
  choice: RefObject<HTMLSelectElement | null>;
}

const PlaceChoice = ({ label, places, choice }: PlaceChoiceProps) => (
  <span className="upload-place">
    <select
      className="input"
      aria-label={label}
      name="into"
      ref={choice}
      defaultValue={places.find(({ isChosen }) => isChosen)?.value}
    >
      {places.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </span>
);

/** Whether the session is over while files wait to be sent; once it is not, those that were refused are sent. */
const useUploadsSignedOut = (sender: FileSender): boolean =>
  useSessionOver(
    () =>
      sender.isSearching || Object.values($uploads.get()).some((file) => isUnderWay(file) || mayBeSent(file)),
    () =>
      Object.values($uploads.get()).forEach(
        ({ id, state }) =>
          void (state.kind === 'failed' && state.code === 'UNAUTHENTICATED' && sender.retry(id)),
      ),
  );

/** Removes stored files from the panel after a while: an alert has announced them, and the list shows them. */
function useRemovalOfStored(
  isOver: boolean,
  sender: FileSender,
  shown: RefObject<HTMLDivElement | null>,
): void {
  useEffect(() => {
    if (!isOver) return undefined;
    const timer = setInterval(() => {
      if (shown.current?.matches(':hover, :focus-within, :has([open])')) return;
      for (const file of Object.values($uploads.get())) if (isStored(file)) void sender.remove(file.id);
    }, STAY);
    return () => clearInterval(timer);
  }, [isOver, sender, shown]);
}

const isStored = ({ state }: UploadingFile): boolean => state.kind === 'success';

/** Tells whether a file that was not stored may still be sent. */
const mayBeSent = ({ state }: UploadingFile): boolean => state.kind === 'failed' && canRetry(state.code);
