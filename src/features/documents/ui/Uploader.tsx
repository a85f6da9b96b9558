import { useStore } from '@nanostores/react';
import { useEffect, useMemo, useRef, useState, type ChangeEvent, type DragEvent } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { formatSize } from '#platform/formats.ts';
import { wordsFrom, type T, type Words } from '#platform/words.ts';
import { MOST_BYTES, uploadReasons, type Constraints } from '../rules.ts';
import { $uploads, type UploadingFile } from '../state.ts';
import type { UploaderWord } from './uploader-words.ts';
import { createUploads, type UploadUppy } from './uploading.ts';

interface Props {
  /** Where the files go; the same address takes the plain form. */
  endpoint: string;
  returnTo: string;
  folderName: string;
  /** Extensions with a dot, from the constraints call. */
  /** The extensions that may be handed in, as a file field names them: `.pdf,.txt`. */
  accept: string;
  words: Words<UploaderWord>;
}

const REASONS: Record<string, UploaderWord> = {
  TOO_LARGE: 'reasonTooLarge',
  TYPE_NOT_ALLOWED: 'reasonType',
  BAD_NAME: 'reasonName',
  EMPTY: 'reasonEmpty',
  QUOTA: 'reasonQuota',
  FORBIDDEN: 'reasonForbidden',
};

const reason = (t: T<UploaderWord>, locale: string, code: string): string => t(REASONS[code] ?? 'reasonConnection', { most: formatSize(locale, MOST_BYTES) });

/** Hands in documents: choose or drop, each with its progress. Before scripts it is a plain form to the same address. */
export function Uploader({ endpoint, returnTo, folderName, accept, words }: Props) {
  const t = useMemo(() => wordsFrom(words), [words]);
  const uploads = useStore($uploads, { ssr: 'initial' });
  const [isOver, setOver] = useState(false);
  const uppy = useRef<UploadUppy>(null);
  const constraints = useMemo<Constraints>(() => ({ types: accept.split(','), mostBytes: MOST_BYTES }), [accept]);
  const files = Object.values(uploads);
  const isBusy = files.some((file) => file.state.kind === 'inProgress');

  /** Made with the first file: a file picked before the island was live arrives before any effect has run. */
  function sender(): UploadUppy {
    if (uppy.current) return uppy.current;
    const made = createUploads(endpoint);
    made.on('complete', () => announce(t));
    return (uppy.current = made);
  }

  useEffect(() => () => uppy.current?.destroy(), []);

  useEffect(() => {
    if (!isBusy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isBusy]);

  function take(chosen: File[]): void {
    const judged = chosen.map((file) => ({ file, reasons: uploadReasons(file, constraints) }));
    const refused = judged.filter(({ reasons }) => reasons.length > 0);
    if (refused.length > 0) {
      const lines = refused.map(({ file, reasons }) => `${file.name}: ${reasons.map((code) => reason(t, words.locale, code)).join(' ')}`);
      const [only] = lines;
      if (refused.length === 1 && only !== undefined) showAlert({ type: 'danger', msg: `${t('selectErrorAlertMsg')} ${only}` });
      else showAlert({ type: 'danger', msg: t('selectMultiDocsErrorAlertMsg', { count: refused.length }), modalItems: lines });
    }
    for (const { file, reasons } of judged) {
      if (reasons.length === 0) sender().addFile({ name: file.name, type: file.type, data: file, meta: { name: file.name, relativePath: crypto.randomUUID() } });
    }
  }

  function pick(event: ChangeEvent<HTMLInputElement>): void {
    take([...(event.target.files ?? [])]);
    event.target.value = '';
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
  }

  return (
    <form className="card stack" method="post" encType="multipart/form-data" action={`${endpoint}${endpoint.includes('?') ? '&' : '?'}onConflict=rename&r=${encodeURIComponent(returnTo)}`}>
      <div className="row spread">
        <div>
          <h2>{t('uploadTitle')}</h2>
          <p className="hint">
            {t('uploadTo')} <bdi>{folderName}</bdi>
          </p>
        </div>
        <label
          className="upload-choose"
          data-over={isOver || undefined}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <span className="button button-primary">{t('uploadChoose')}</span>
          <span className="hint upload-drop">{t('uploadDrop')}</span>
          <input type="file" name="file[]" multiple required accept={accept} onChange={pick} />
        </label>
        <button className="button upload-submit">{t('uploadSubmit')}</button>
      </div>
      {files.length > 0 && (
        <ul className="stack upload-files">
          {files.map((file) => (
            <Row key={file.id} file={file} t={t} locale={words.locale} retry={() => void uppy.current?.retryUpload(file.id)} remove={() => uppy.current?.removeFile(file.id)} />
          ))}
        </ul>
      )}
    </form>
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
      {state.kind === 'inProgress' && (
        <>
          <progress value={state.progress} max={1} aria-label={file.name} />
          <p className="meta">{state.progress < 1 ? t('uploadProgress', { percent: Math.floor(state.progress * 100) }) : t('uploadWaiting')}</p>
        </>
      )}
      {state.kind === 'success' && (
        <details className="meta">
          <summary>{state.finalName === file.name ? t('uploadDone') : t('uploadRenamed', { name: state.finalName })}</summary>
          {t('uploadDigest')} <code>{state.digest}</code>
        </details>
      )}
      {state.kind === 'failed' && (
        <div className="row">
          <p className="field-error">{t('uploadFailed', { reason: reason(t, locale, state.code) })}</p>
          <button type="button" className="button" onClick={retry}>
            {t('uploadRetry')}
          </button>
          <button type="button" className="button" onClick={remove}>
            {t('uploadRemove')}
          </button>
        </div>
      )}
    </li>
  );
}

/** One alert for the whole, in the spec's words, and a fresh list of documents. */
function announce(t: T<UploaderWord>): void {
  const files = Object.values($uploads.get());
  const kept = files.flatMap((file) => (file.state.kind === 'success' ? [file.state.finalName] : []));
  const failed = files.flatMap((file) => (file.state.kind === 'failed' ? [file.name] : []));
  const [name = ''] = kept;
  if (failed.length === 0 && kept.length === 1) showAlert({ type: 'success', msg: t('uploadDocumentSuccessAlert', { name }), timeout: STANDARD_TIMEOUT });
  else if (failed.length === 0 && kept.length > 0) showAlert({ type: 'success', msg: t('uploadDocumentsSuccessAlert', { count: kept.length }), timeout: STANDARD_TIMEOUT });
  else if (failed.length > 0) showAlert({ type: kept.length > 0 ? 'info' : 'danger', msg: t(kept.length > 0 ? 'uploadDocumentsFailedWarning' : 'uploadDocumentsFailed'), modalItems: failed });
  if (kept.length > 0) document.dispatchEvent(new CustomEvent('portal:documents-changed'));
}
