import { useEffect, useMemo, useRef, useState, type ChangeEvent, type SubmitEvent } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { Icon } from '#ui/Icon.tsx';
import { formatSize } from '#platform/formats.ts';
import { createTranslator, type Messages } from '#platform/messages.ts';
import { sendDocument } from '#features/uploads/calls.ts';
import { reasonFor, type RefusalWord } from '#features/uploads/refusals.ts';
import { paperOf, pdfOf } from '../pdf-of-photos.ts';
import { MAX_PAGES, MAX_PHOTOS, MAX_SCAN_BYTES, scanNameOf, scanNameProblem } from '../rules.ts';
import { pageOf, thumbnailOf } from './photos.ts';
import { SignedOut, useSessionOver } from '#features/uploads/ui/SignedOut.tsx';
import type { ScanWord } from './scanner-messages.ts';

interface Props {
  /** The URL for the finished document, and that for the photos of the plain form. */
  endpoint: string;
  plainEndpoint: string;
  /** The page after the upload, and that of the plain form after an error. */
  returnTo: string;
  again: string;
  folderName: string;
  /** The suggested name with the date, which the browser knows better. */
  name: string;
  words: Messages<ScanWord>;
  /** The translations of errors, and the text shown when the session has ended. */
  reasons: Messages<RefusalWord | 'uploadSignedOut' | 'uploadSignIn'>;
}

interface Page {
  id: number;
  photo: File;
  thumbnail: string;
  turns: number;
}

type Work = { kind: 'reading' | 'making'; n: number; of: number } | { kind: 'sending' };

const PLAIN_NAME = '[^\\/\\\\:*?"<>\\|]+';
const isHeic = ({ name, type }: File): boolean => /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name);

/**
 * Turns photographs of paper into one PDF and uploads it. The photos stay files until then: one at a time is
 * decoded.
 */
export function Scanner({
  endpoint,
  plainEndpoint,
  returnTo,
  again,
  folderName,
  name,
  words,
  reasons,
}: Props) {
  const t = useMemo(() => createTranslator(words), [words]);
  const why = useMemo(() => createTranslator(reasons), [reasons]);
  const [pages, setPages] = useState<Page[]>([]);
  const [removed, setRemoved] = useState<{ page: Page; at: number }>();
  const [work, setWork] = useState<Work>();
  const [status, setStatus] = useState('');
  const [isGrey, setGrey] = useState(false);
  const [isLive, setLive] = useState(false);
  const [problem, setProblem] = useState<'nothing' | 'nameMissing' | 'nameBad'>();
  const nameField = useRef<HTMLInputElement>(null);
  const photosField = useRef<HTMLInputElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  const focusNext = useRef<string>(undefined);
  const taken = useRef({ count: 0, reading: Promise.resolve(), isLeaving: false });
  const isUploading = work !== undefined && work.kind !== 'reading';
  const today = useMemo(
    () =>
      name.replace(
        /\d{4}-\d\d-\d\d/,
        new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10),
      ),
    [name],
  );

  useEffect(() => {
    setLive(true);
    if (nameField.current?.value === name) nameField.current.value = today;
  }, [name, today]);

  useEffect(() => {
    if (focusNext.current !== undefined) document.getElementById(focusNext.current)?.focus();
    focusNext.current = undefined;
  });

  const hasPages = pages.length > 0;
  const isSignedOut = useSessionOver(
    () => hasPages && !taken.current.isLeaving,
    () => undefined,
  );
  useEffect(() => {
    if (!hasPages) return undefined;
    const warn = (event: BeforeUnloadEvent): void => {
      if (!taken.current.isLeaving) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [hasPages]);

  function pick({ target }: ChangeEvent<HTMLInputElement>): void {
    const photos = [...(target.files ?? [])];
    target.value = '';
    taken.current.reading = taken.current.reading.then(() => add(photos));
  }

  async function add(photos: File[]): Promise<void> {
    const room = MAX_PAGES - taken.current.count;
    const refused: string[] = [];
    const added: Page[] = [];
    for (const [i, photo] of photos.slice(0, room).entries()) {
      setWork({ kind: 'reading', n: i + 1, of: photos.length });
      try {
        added.push({ id: nextId(), photo, thumbnail: await thumbnailOf(photo), turns: 0 });
      } catch {
        // whatever the decoder could not handle
        refused.push(t(isHeic(photo) ? 'heic' : 'notAPhoto', { name: photo.name }));
      }
    }
    taken.current.count += added.length;
    setPages((others) => [...others, ...added]);
    setWork(undefined);
    setProblem(undefined);
    if (added.length > 0) setStatus(t('added', { count: added.length }));
    if (photos.length > room) refused.push(t('tooManyPages', { most: MAX_PAGES }));
    if (refused.length > 0) showAlert({ type: 'danger', msg: refused.join(' ') });
  }

  function move(at: number, by: 1 | -1): void {
    const page = pages[at];
    const to = at + by;
    if (!page) return;
    setPages(pages.toSpliced(at, 1).toSpliced(to, 0, page));
    const isEdge = to === 0 || to === pages.length - 1;
    focusNext.current = `${by < 0 === isEdge ? 'down' : 'up'}-${page.id}`;
    setStatus(t('moved', { from: at + 1, to: to + 1 }));
  }

  function turn(at: number): void {
    setPages(pages.map((page, i) => (i === at ? { ...page, turns: (page.turns + 1) % 4 } : page)));
    setStatus(t('turned', { page: at + 1 }));
  }

  function remove(at: number): void {
    const page = pages[at];
    if (!page) return;
    taken.current.count -= 1;
    setPages(pages.toSpliced(at, 1));
    setRemoved({ page, at });
    setStatus('');
    focusNext.current = 'scan-undo';
  }

  function putBack({ page, at }: { page: Page; at: number }): void {
    taken.current.count += 1;
    setPages(pages.toSpliced(at, 0, page));
    setRemoved(undefined);
    setStatus(t('restored', { page: Math.min(at, pages.length) + 1 }));
    focusNext.current = `remove-${page.id}`;
  }

  async function handIn(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isUploading) return;
    await taken.current.reading;
    const typed = nameField.current?.value ?? '';
    const wrong = hasPages ? scanNameProblem(typed) : 'nothing';
    setProblem(wrong);
    if (wrong) {
      (wrong === 'nothing' ? photosField : nameField).current?.focus();
      return;
    }
    setStatus('');
    setRemoved(undefined);
    submit.current?.focus(); // the element that had it is disabled now
    const reason = await send(scanNameOf(typed));
    setWork(undefined);
    if (reason !== undefined) showAlert({ type: 'danger', msg: `${t('kept')} ${reason}` });
  }

  /** Creates and sends the document; then the page changes. Returns the error message, if any. */
  async function send(fileName: string): Promise<string | undefined> {
    const jpegs: Uint8Array<ArrayBuffer>[] = [];
    for (const [i, { photo, turns }] of pages.entries()) {
      setWork({ kind: 'making', n: i + 1, of: pages.length });
      try {
        jpegs.push(await pageOf(photo, { turns, isGrey }));
      } catch {
        // the phone has removed the file meanwhile, or is out of memory
        return t('notAPhoto', { name: photo.name });
      }
    }
    setWork({ kind: 'sending' });
    const outcome = await sendDocument(
      endpoint,
      new File([...pdfOf(jpegs, paperOf(words.locale))], fileName, { type: 'application/pdf' }),
    );
    if ('code' in outcome) return reasonFor(why, words.locale, outcome.code);
    taken.current.isLeaving = true;
    showAlert({
      type: 'success',
      msg: t('uploaded', { name: outcome.name }),
      timeout: STANDARD_TIMEOUT,
      travels: true,
    });
    location.assign(returnTo);
    return undefined;
  }

  const nameProblem = problem === 'nameMissing' || problem === 'nameBad' ? problem : undefined;
  return (
    <form
      className="card stack uploader"
      aria-label={t('handIn')}
      method="post"
      encType="multipart/form-data"
      noValidate={isLive}
      onSubmit={(event) => void handIn(event)}
      action={`${plainEndpoint}${plainEndpoint.includes('?') ? '&' : '?'}${new URLSearchParams({ r: returnTo, again })}`}
    >
      <fieldset className="stack" aria-label={t('photos')} disabled={isUploading}>
        <p className="hint">
          {t('into')} <bdi>{folderName}</bdi>
        </p>
        <div className="field">
          <label className="scan-plain" htmlFor="photos">
            {t('photos')}
          </label>
          <p className="hint scan-plain">
            {t('photosHint', { most: MAX_PHOTOS, size: formatSize(words.locale, MAX_SCAN_BYTES) })}
          </p>
          {problem === 'nothing' && (
            <p className="field-error" id="photos-error">
              {t('nothing')}
            </p>
          )}
          <div className="scan-sources">
            <label className="choose-files scan-camera scan-live">
              <span className="button button-primary">{t('takePhoto')}</span>
              <input type="file" accept="image/*" capture="environment" onChange={pick} />
            </label>
            <label className="choose-files">
              <span className="button">{t('choosePhotos')}</span>
              <input
                ref={photosField}
                id="photos"
                type="file"
                name="file[]"
                multiple
                accept="image/*"
                aria-describedby={problem === 'nothing' ? 'photos-error' : undefined}
                onChange={pick}
              />
            </label>
          </div>
        </div>
        {hasPages && (
          <section className="stack" aria-labelledby="scan-pages">
            <h2 id="scan-pages">{t('pages')}</h2>
            <ol className="scan-pages" data-grey={isGrey || undefined}>
              {pages.map(({ id, thumbnail, turns }, at) => (
                <li key={id} className="scan-page">
                  <span className="scan-thumb">
                    <img src={thumbnail} alt="" data-turns={turns} />
                  </span>
                  <strong>{t('page', { page: at + 1 })}</strong>
                  <div className="row">
                    <button
                      type="button"
                      id={`up-${id}`}
                      className="button button-icon"
                      aria-label={t('moveUp', { page: at + 1 })}
                      disabled={at === 0}
                      onClick={() => move(at, -1)}
                    >
                      <Icon name="arrow-up" />
                    </button>
                    <button
                      type="button"
                      id={`down-${id}`}
                      className="button button-icon"
                      aria-label={t('moveDown', { page: at + 1 })}
                      disabled={at === pages.length - 1}
                      onClick={() => move(at, 1)}
                    >
                      <Icon name="arrow-down" />
                    </button>
                    <button
                      type="button"
                      className="button"
                      aria-label={t('turnPage', { page: at + 1 })}
                      onClick={() => turn(at)}
                    >
                      {t('turn')}
                    </button>
                    <button
                      type="button"
                      id={`remove-${id}`}
                      className="button"
                      aria-label={t('removePage', { page: at + 1 })}
                      onClick={() => remove(at)}
                    >
                      {t('remove')}
                    </button>
                  </div>
                </li>
              ))}
            </ol>
          </section>
        )}
        <div className="row scan-live" role="status">
          <p>
            {work?.kind === 'reading'
              ? t('reading', { n: work.n, of: work.of })
              : removed && status === ''
                ? t('removed', { page: removed.at + 1 })
                : status}
          </p>
          {removed && (
            <button type="button" id="scan-undo" className="button" onClick={() => putBack(removed)}>
              {t('undo')}
            </button>
          )}
        </div>
        <div className="field">
          <label htmlFor="name">{t('name')}</label>
          <p className="hint" id="name-hint">
            {t('nameHint')}
          </p>
          {nameProblem && (
            <p className="field-error" id="name-error">
              {t(nameProblem)}
            </p>
          )}
          <input
            ref={nameField}
            id="name"
            name="name"
            className="input"
            required
            maxLength={200}
            pattern={PLAIN_NAME}
            title={t('nameBad')}
            autoComplete="off"
            defaultValue={name}
            aria-invalid={nameProblem ? true : undefined}
            aria-describedby={nameProblem ? 'name-hint name-error' : 'name-hint'}
          />
        </div>
        <fieldset className="scan-live">
          <legend>{t('colors')}</legend>
          {[false, true].map((grey) => (
            <label key={String(grey)} className="check">
              <input type="radio" name="colors" checked={isGrey === grey} onChange={() => setGrey(grey)} />
              {t(grey ? 'inGrey' : 'inColor')}
            </label>
          ))}
        </fieldset>
      </fieldset>
      <div role="status" className="scan-live">
        {isUploading && (
          <>
            <p>{work.kind === 'sending' ? t('sending') : t('making', { n: work.n, of: work.of })}</p>
            <progress
              aria-label={t('handIn')}
              {...(work.kind === 'making' && { value: work.n - 1, max: work.of })}
            />
          </>
        )}
      </div>
      {isSignedOut && <SignedOut text={why('uploadSignedOut')} link={why('uploadSignIn')} />}
      <div className="actions">
        <a className="button" href={returnTo}>
          {t('cancel')}
        </a>
        <button ref={submit} className="button button-primary" aria-disabled={isUploading || undefined}>
          {t('handIn')}
        </button>
      </div>
    </form>
  );
}

let ids = 0;
const nextId = (): number => (ids += 1);
