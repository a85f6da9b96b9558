import { useStore } from '@nanostores/react';
import { formatSize } from '#platform/text/formats.ts';
import type { T } from '#platform/text/messages.ts';
import { termsFrom } from '#platform/http/refused-calls.ts';
import { Icon } from '#ui/Icon.tsx';
import { extensionOf, repairedName } from '#features/documents/folders/rules.ts';
import { canRetry, reasonFor } from '../refusals.ts';
import { isUnderWay, type UploadingFile } from '../state.ts';
import type { OpenUpload } from '../uploads.ts';
import { loadLarge } from './file-sender.ts';
import { SignedOut } from './SignedOut.tsx';
import { $secondsLeft } from './time-left.ts';
import type { UploaderWord } from './uploader-messages.ts';

interface Props {
  /** Where the files go; undefined where that is chosen. */
  folderName: string | undefined;
  files: readonly UploadingFile[];
  unfinished: readonly OpenUpload[];
  isSignedOut: boolean;
  t: T<UploaderWord>;
  locale: string;
  retry: (id: string) => void;
  remove: (id: string) => void;
  close: () => void;
}

/** The files of an uploader with their progress, and uploads of before that can go on. */
export function UploadPanel(props: Props) {
  const { folderName, files, unfinished, isSignedOut, t, locale, retry, remove, close } = props;
  const left = useStore($secondsLeft, { ssr: 'initial' });
  const isBusy = files.some(isUnderWay);
  return (
    <>
      <div className="row spread">
        {folderName !== undefined && (
          <p className="hint">
            {t('uploadTo')} <bdi>{folderName}</bdi>
          </p>
        )}
        {files.length > 0 && !isBusy && (
          <button
            type="button"
            className="button button-quiet button-icon"
            aria-label={t('uploadClose')}
            onClick={close}
          >
            <Icon name="x" />
          </button>
        )}
      </div>
      {unfinished.length > 0 && (
        <div className="stack">
          <p>{t('uploadsUnfinished')}</p>
          <ul className="stack upload-files">
            {unfinished.map(({ uploadId, name, size, offset }) => (
              <li key={uploadId} className="row spread">
                <bdi>{name}</bdi>
                <span className="meta">
                  {t('uploadProgress', { percent: Math.floor((offset / size) * 100) })}
                </span>
                <button
                  type="button"
                  className="button"
                  onClick={() => void loadLarge().then(({ discard }) => discard(uploadId))}
                >
                  {t('uploadDiscard', { name })}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {isSignedOut && <SignedOut text={t('uploadSignedOut')} link={t('uploadSignIn')} />}
      {isBusy && files.length > 1 && (
        <p className="hint">
          {t('uploadTotal', {
            done: files.filter(({ state }) => state.kind === 'success').length,
            total: files.length,
          })}
        </p>
      )}
      {isBusy && left !== undefined && <p className="hint">{timeLeftText(t, left)}</p>}
      {files.length > 0 && (
        <ul className="stack upload-files">
          {files.map((file) => (
            <Row
              key={file.id}
              file={file}
              t={t}
              locale={locale}
              retry={() => retry(file.id)}
              remove={() => remove(file.id)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface RowProps {
  file: UploadingFile;
  t: T<UploaderWord>;
  locale: string;
  retry: () => void;
  remove: () => void;
}

function Row({ file, t, locale, retry, remove }: RowProps) {
  const { state } = file;
  return (
    <li>
      <div className="row spread">
        <bdi>{file.name}</bdi>
        <span className="meta">{formatSize(locale, file.size)}</span>
      </div>
      {state.kind === 'selected' && <p className="meta">{t('uploadTurn')}</p>}
      {(state.kind === 'inProgress' || state.kind === 'paused') && (
        <>
          <progress value={state.progress} max={1} aria-label={file.name} />
          <p className="meta">
            {state.progress < 1
              ? t('uploadProgress', { percent: Math.floor(state.progress * 100) })
              : t('uploadWaiting')}
          </p>
        </>
      )}
      {state.kind === 'paused' && <p role="status">{t('uploadLost')}</p>}
      {state.kind === 'success' && (
        <details className="meta">
          <summary>{storedText(t, file.name, state.finalName)}</summary>
          {t('uploadDigest')} <code>{state.digest}</code>
        </details>
      )}
      {state.kind === 'failed' && (
        <>
          <p className="field-error">{t('uploadFailed', { reason: reasonFor(t, locale, state.code) })}</p>
          <div className="row">
            {state.code === 'TERMS_REQUIRED' && (
              <a className="button" href={termsFrom(location)} target="_blank">
                {t('uploadTerms')}
              </a>
            )}
            {canRetry(state.code) && (
              <button type="button" className="button" onClick={retry}>
                {t('uploadRetry')}
              </button>
            )}
            <button type="button" className="button" onClick={remove}>
              {t('uploadRemove')}
            </button>
          </div>
        </>
      )}
    </li>
  );
}

/** Another name is said with its reason: that one was taken, or could not be stored, or was of another kind of file. */
function storedText(t: T<UploaderWord>, name: string, finalName: string): string {
  if (finalName === name.normalize()) return t('uploadDone');
  const isTaken = repairedName(name) === name.normalize() && extensionOf(finalName) === extensionOf(name);
  return t(isTaken ? 'uploadRenamed' : 'uploadRepaired', { name: finalName });
}

const timeLeftText = (t: T<UploaderWord>, seconds: number): string =>
  seconds < 60 ? t('uploadSecondsLeft') : t('uploadMinutesLeft', { count: Math.round(seconds / 60) });
