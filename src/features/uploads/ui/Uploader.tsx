import { useStore } from '@nanostores/react';
import { useEffect, useMemo, useRef, type ChangeEvent, type DragEvent } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { Icon } from '#ui/Icon.tsx';
import { formatSize } from '#platform/formats.ts';
import { followRefusal, termsFrom } from '#platform/refused-calls.ts';
import { createTranslator, type T, type Messages } from '#platform/messages.ts';
import { MAX_BYTES } from '#features/documents/rules.ts';
import { uploadReasons, type Constraints } from '../rules.ts';
import { $unfinished, $uploads, type UploadingFile } from '../state.ts';
import type { UploaderWord } from './uploader-messages.ts';
import type { OpenUpload } from '../uploads.ts';
import type { Found } from './folder-uploading.ts';
import { canRetry, reasonFor } from '../refusals.ts';
import { SignedOut, useSessionOver } from './SignedOut.tsx';
import { $secondsLeft } from './time-left.ts';
import { createUploads, LARGE, setState, type UploadUppy } from './uploading.ts';

interface Props {
  /** The target URL of the files; the plain form has the same. */
  endpoint: string;
  returnTo: string;
  folderName: string;
  /** Staff publish, clients upload. */
  isPublishing: boolean;
  /** The folders to choose from, if there is a choice; the plain form sends the `value`. */
  places?: readonly { value: string; endpoint: string; name: string; isChosen: boolean }[] | undefined;
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
export function Uploader({
  endpoint,
  returnTo,
  folderName,
  isPublishing,
  places,
  accept,
  mayAddFolders,
  scan,
  words,
}: Props) {
  const t = useMemo(() => createTranslator(words), [words]);
  const uploads = useStore($uploads, { ssr: 'initial' });
  const unfinished = useStore($unfinished, { ssr: 'initial' });
  const left = useStore($secondsLeft, { ssr: 'initial' });
  const choice = useRef<HTMLSelectElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const shown = useRef<HTMLDivElement>(null);
  const uppy = useRef<UploadUppy>(null);
  /**
   * Retries files that were never started: the uploader could not be loaded, or their folder could not be
   * created.
   */
  const unsent = useRef(new Map<string, () => void>());
  const large = useRef<Promise<Awaited<ReturnType<typeof loadLarge>>>>(null);
  const constraints = useMemo<Constraints>(
    () => ({ types: accept.split(','), mostBytes: MAX_BYTES }),
    [accept],
  );
  const files = Object.values(uploads);
  const isBusy = files.some(isUnderWay);
  const isOver = !isBusy && files.some(isStored);
  /**
   * The number of files or folders without a row yet: the uploader is being loaded, or they are being listed.
   */
  const searching = useRef(0);
  const isSignedOut = useSessionOver(
    () =>
      searching.current > 0 ||
      Object.values($uploads.get()).some((file) => isUnderWay(file) || mayBeSent(file)),
    () =>
      Object.values($uploads.get()).forEach(
        ({ id, state }) => void (state.kind === 'failed' && state.code === 'UNAUTHENTICATED' && retry(id)),
      ),
  );

  const target = (): string =>
    places?.find(({ value }) => value === choice.current?.value)?.endpoint ?? endpoint;
  /**
   * Created with the first file: a file picked before the island was live arrives before any effect has run.
   */
  const sender = (): UploadUppy => (uppy.current ??= createUploads());
  /** Earlier uploads must be known before the first file looks for its own. */
  const largeSender = () =>
    (large.current ??= Promise.all([loadLarge(), loadUnfinished()]).then(([loaded]) => loaded)).catch(
      (error: unknown) => {
        large.current = null;
        throw error;
      },
    );

  useEffect(() => () => uppy.current?.destroy(), []);
  useEffect(() => announceWhenDone(t), [t]);
  useEffect(() => void loadUnfinished(), []);

  useEffect(() => {
    if (!isBusy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isBusy]);

  // an alert has announced them, and the list shows them
  useEffect(() => {
    if (!isOver) return undefined;
    const timer = setInterval(() => {
      if (shown.current?.matches(':hover, :focus-within, :has([open])')) return;
      for (const file of Object.values($uploads.get())) if (isStored(file)) void remove(file.id);
    }, STAY);
    return () => clearInterval(timer);
  }, [isOver]);

  function close(): void {
    chooser.current?.focus();
    for (const { id } of files) void remove(id);
  }

  async function retry(id: string): Promise<void> {
    const begin = unsent.current.get(id);
    if (begin) return remove(id).then(begin);
    const parts = await large.current;
    if (parts?.isLarge(id)) return parts.queue(id);
    setState(id, { kind: 'selected' });
    await uppy.current?.retryUpload(id);
  }

  async function remove(id: string): Promise<void> {
    unsent.current.delete(id);
    (await large.current)?.forget(id);
    if (uppy.current?.getState().files[id]) uppy.current.removeFile(id);
    const { [id]: _, ...others } = $uploads.get();
    $uploads.set(others);
  }

  function send(file: File, to: string): void {
    if (file.size <= LARGE)
      sender().addFile({
        name: file.name,
        type: file.type,
        data: file,
        meta: { name: file.name, relativePath: crypto.randomUUID(), endpoint: to },
      });
    else {
      searching.current += 1;
      void largeSender()
        .then(({ sendLarge }) => sendLarge(file, to))
        .catch(() => unsent.current.set(showFailed(file, 'CONNECTION'), () => send(file, to)))
        .finally(() => (searching.current -= 1));
    }
  }

  function take(chosen: File[], to: (file: File) => string = target): void {
    const judged = chosen.map((file) => ({ file, reasons: uploadReasons(file, constraints) }));
    const refused = judged.filter(({ reasons }) => reasons.length > 0);
    if (refused.length > 0) {
      const lines = refused.map(({ file, reasons }) =>
        t('fileAndReason', {
          name: file.name,
          reason: reasons.map((code) => reasonFor(t, words.locale, code)).join(' '),
        }),
      );
      const [only] = lines;
      if (refused.length === 1 && only !== undefined)
        showAlert({ type: 'danger', msg: `${t('selectErrorAlertMsg')} ${only}` });
      else
        showAlert({
          type: 'danger',
          msg: t('selectMultiDocsErrorAlertMsg', { count: refused.length }),
          modalItems: lines,
        });
    }
    for (const { file, reasons } of judged) if (reasons.length === 0) send(file, to(file));
  }

  /** Creates the folders first, then uploads each file to its own; files without a folder show why. */
  async function takeFolders(
    find: (folders: Awaited<ReturnType<typeof loadFolders>>) => Promise<Found[]> | Found[],
    place = target(),
  ): Promise<void> {
    searching.current += 1;
    const { found, targets } = await targetsIn(find, place).finally(() => (searching.current -= 1));
    const addresses = new Map<File, string>();
    for (const [i, one] of found.entries()) {
      const target = targets[i];
      if (target && 'endpoint' in target) addresses.set(one.file, target.endpoint);
      else
        unsent.current.set(
          showFailed(one.file, target?.code ?? 'CONNECTION'),
          () => void takeFolders(() => [one], place).catch(notReadable),
        );
    }
    take([...addresses.keys()], (file) => addresses.get(file) ?? place);
  }

  async function targetsIn(
    find: (folders: Awaited<ReturnType<typeof loadFolders>>) => Promise<Found[]> | Found[],
    place: string,
  ) {
    const folders = await loadFolders();
    const found = await find(folders);
    return { found, targets: await folders.targetsFor(found, place) };
  }

  const notReadable = (): void => showAlert({ type: 'danger', msg: t('uploadDocumentsFailed') });

  function pick(event: ChangeEvent<HTMLInputElement>): void {
    take([...(event.target.files ?? [])]);
    event.target.value = '';
  }

  function pickFolder(): void {
    const field = Object.assign(document.createElement('input'), { type: 'file', webkitdirectory: true });
    field.onchange = () => {
      const chosen = [...(field.files ?? [])];
      takeFolders(({ chosenIn }) => chosenIn(chosen)).catch(notReadable);
    };
    field.click();
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    const entries = [...event.dataTransfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    if (!entries.some(({ isDirectory }) => isDirectory)) take([...event.dataTransfer.files]);
    else if (mayAddFolders) takeFolders(({ droppedIn }) => droppedIn(entries)).catch(notReadable);
    else showAlert({ type: 'danger', msg: t('reasonFolder') });
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
        {places && (
          <span className="upload-place">
            <select
              className="input"
              aria-label={t('publishTo')}
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
        )}
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
            <Icon name="folder" />
          </button>
        )}
      </div>
      {(unfinished.length > 0 || isSignedOut || files.length > 0) && (
        <div ref={shown} className="card stack upload-panel">
          {panel()}
        </div>
      )}
    </form>
  );

  function panel() {
    return (
      <>
        <div className="row spread">
          {!places && (
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
                locale={words.locale}
                retry={() => void retry(file.id)}
                remove={() => void remove(file.id)}
              />
            ))}
          </ul>
        )}
      </>
    );
  }
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
          <summary>
            {state.finalName === file.name ? t('uploadDone') : t('uploadRenamed', { name: state.finalName })}
          </summary>
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

const timeLeftText = (t: T<UploaderWord>, seconds: number): string =>
  seconds < 60 ? t('uploadSecondsLeft') : t('uploadMinutesLeft', { count: Math.round(seconds / 60) });

const isStored = ({ state }: UploadingFile): boolean => state.kind === 'success';

/** Tells whether a file that was not stored may still be sent. */
const mayBeSent = ({ state }: UploadingFile): boolean => state.kind === 'failed' && canRetry(state.code);

const isUnderWay = ({ state }: UploadingFile): boolean =>
  state.kind === 'selected' || state.kind === 'inProgress' || state.kind === 'paused';

/**
 * Loads resumable uploading only when needed: with the first large file, or if there are uploads to resume.
 */
const loadLarge = () => import('./large-uploading.ts');
const loadFolders = () => import('./folder-uploading.ts');

const UNFINISHED = '/api/storage/v1/uploads';

/** Asks for uploads to resume, and loads the code for it only if there are any. */
async function loadUnfinished(): Promise<void> {
  // nobody requested it: without it the page is as it was
  const answer = await fetch(UNFINISHED).catch(() => undefined);
  await followRefusal(UNFINISHED, answer?.status ?? 0);
  if (answer?.ok) $unfinished.set(((await answer.json()) as { data: OpenUpload[] }).data);
}

function showFailed({ name, size }: File, code: string): string {
  const id = crypto.randomUUID();
  $uploads.setKey(id, { id, name, size, state: { kind: 'failed', code } });
  return id;
}

/**
 * Calls back each time the last upload in flight has ended, with the results. Returns the function to stop
 * it.
 */
function announceWhenDone(t: T<UploaderWord>): () => void {
  let before = new Set<string>();
  return $uploads.subscribe((uploads) => {
    const underWay = Object.values(uploads).filter(isUnderWay);
    for (const { id } of underWay) before.add(id);
    if (underWay.length > 0 || before.size === 0) return;
    announce(
      t,
      Object.values(uploads).filter(({ id }) => before.has(id)),
    );
    before = new Set();
  });
}

/** Shows one alert for all files, with the texts of the spec, and a fresh list of documents. */
function announce(t: T<UploaderWord>, files: readonly UploadingFile[]): void {
  const stored = files.flatMap((file) => (file.state.kind === 'success' ? [file.state.finalName] : []));
  const failed = files.flatMap(({ name, state }) =>
    state.kind === 'failed' && state.code !== 'UNAUTHENTICATED' ? [name] : [],
  ); // its panel shows it
  const [name = ''] = stored;
  if (failed.length === 0 && stored.length === 1)
    showAlert({ type: 'success', msg: t('uploadDocumentSuccessAlert', { name }), timeout: STANDARD_TIMEOUT });
  else if (failed.length === 0 && stored.length > 0)
    showAlert({
      type: 'success',
      msg: t('uploadDocumentsSuccessAlert', { count: stored.length }),
      timeout: STANDARD_TIMEOUT,
    });
  else if (failed.length > 0)
    showAlert({
      type: stored.length > 0 ? 'info' : 'danger',
      msg: t(stored.length > 0 ? 'uploadDocumentsFailedWarning' : 'uploadDocumentsFailed'),
      modalItems: failed,
    });
  if (stored.length > 0) document.dispatchEvent(new CustomEvent('portal:documents-changed'));
}
