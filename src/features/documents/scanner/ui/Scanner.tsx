import { useEffect, useMemo, useRef, useState, type SubmitEvent } from 'react';
import { createTranslator, type Messages, type T } from '#platform/text/messages.ts';
import type { RefusalWord } from '#features/documents/uploads/refusals.ts';
import { SignedOut, useSessionOver } from '#features/documents/uploads/ui/SignedOut.tsx';
import { useLeaveWarning } from '#features/documents/uploads/ui/use-leave-warning.ts';
import { scanNameOf, scanNameProblem, type ScanNameProblem } from '../rules.ts';
import { ColorsField, NameField, PhotosField } from './ScanFields.tsx';
import { ScannedPages } from './ScannedPages.tsx';
import type { ScanWord } from './scanner-messages.ts';
import { useScanUpload, type UploadWork } from './use-scan-upload.ts';
import { useScannedPages } from './use-scanned-pages.ts';

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
  const { locale } = words;
  const [problem, setProblem] = useState<'nothing' | ScanNameProblem>();
  const [isGrey, setGrey] = useState(false);
  const [isLive, setLive] = useState(false);
  const nameField = useRef<HTMLInputElement>(null);
  const photosField = useRef<HTMLInputElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  const isSubmitted = useRef(false);
  const scan = useScannedPages(t, () => setProblem(undefined));
  const { work, isLeaving, upload } = useScanUpload({ endpoint, returnTo, locale, t, why });
  const isUploading = work !== undefined;
  const hasPages = scan.pages.length > 0;
  const isSignedOut = useSessionOver(
    () => hasPages && !isLeaving.current,
    () => undefined,
  );
  useLeaveWarning(hasPages, () => !isLeaving.current);

  useEffect(() => {
    setLive(true);
    if (nameField.current?.value === name) nameField.current.value = withToday(name);
  }, [name]);

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isUploading || isSubmitted.current) return;
    isSubmitted.current = true;
    const pages = await scan.settled();
    isSubmitted.current = false;
    const typed = nameField.current?.value ?? '';
    const wrong = pages.length > 0 ? scanNameProblem(typed) : 'nothing';
    setProblem(wrong);
    if (wrong) {
      (wrong === 'nothing' ? photosField : nameField).current?.focus();
      return;
    }
    scan.forget();
    submit.current?.focus(); // the element that had it is disabled now
    await upload({ pages, isGrey, fileName: scanNameOf(typed) });
  }

  return (
    <form
      className="card stack uploader"
      aria-label={t('handIn')}
      method="post"
      encType="multipart/form-data"
      noValidate={isLive}
      onSubmit={(event) => void send(event)}
      action={`${plainEndpoint}${plainEndpoint.includes('?') ? '&' : '?'}${new URLSearchParams({ r: returnTo, again })}`}
    >
      <fieldset className="stack" aria-label={t('photos')} disabled={isUploading}>
        <p className="hint">
          {t('into')} <bdi>{folderName}</bdi>
        </p>
        <PhotosField
          {...{ locale, t }}
          fieldRef={photosField}
          hasProblem={problem === 'nothing'}
          onPick={scan.pick}
        />
        {hasPages && (
          <ScannedPages
            {...{ isGrey, t }}
            pages={scan.pages}
            onMove={scan.move}
            onTurn={scan.turn}
            onRemove={scan.remove}
          />
        )}
        <PagesStatus text={scan.status} onUndo={scan.undo} t={t} />
        <NameField
          {...{ name, t }}
          fieldRef={nameField}
          problem={problem === 'nothing' ? undefined : problem}
        />
        <ColorsField {...{ isGrey, t }} onChange={setGrey} />
      </fieldset>
      <UploadProgress {...{ work, t }} />
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

interface StatusProps {
  /** What was done last. */
  text: string;
  onUndo: (() => void) | undefined;
  t: T<ScanWord>;
}

const PagesStatus = ({ text, onUndo, t }: StatusProps) => (
  <div className="row scan-live" role="status">
    <p>{text}</p>
    {onUndo && (
      <button type="button" id="scan-undo" className="button" onClick={onUndo}>
        {t('undo')}
      </button>
    )}
  </div>
);

const UploadProgress = ({ work, t }: { work: UploadWork | undefined; t: T<ScanWord> }) => (
  <div role="status" className="scan-live">
    {work && (
      <>
        <p>{work.kind === 'sending' ? t('sending') : t('making', { n: work.n, of: work.of })}</p>
        <progress
          aria-label={t('handIn')}
          {...(work.kind === 'making' && { value: work.n - 1, max: work.of })}
        />
      </>
    )}
  </div>
);

/** The suggested name with the date of today where the browser is. */
function withToday(name: string): string {
  const today = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  return name.replace(/\d{4}-\d\d-\d\d/, today);
}
