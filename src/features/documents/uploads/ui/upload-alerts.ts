import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import type { T } from '#platform/text/messages.ts';
import { reasonFor } from '../refusals.ts';
import type { UploadReason } from '../rules.ts';
import { $uploads, isUnderWay, type UploadingFile } from '../state.ts';
import type { UploaderWord } from './uploader-messages.ts';

/** Shows which of the chosen files are not sent, and why. */
export function alertRefused(
  t: T<UploaderWord>,
  locale: string,
  refused: readonly { name: string; reasons: readonly UploadReason[] }[],
): void {
  const lines = refused.map(({ name, reasons }) =>
    t('fileAndReason', { name, reason: reasons.map((code) => reasonFor(t, locale, code)).join(' ') }),
  );
  const [only] = lines;
  if (only === undefined) return;
  if (lines.length === 1) showAlert({ type: 'danger', msg: `${t('selectErrorAlertMsg')} ${only}` });
  else
    showAlert({
      type: 'danger',
      msg: t('selectMultiDocsErrorAlertMsg', { count: lines.length }),
      modalItems: lines,
    });
}

/** Shows that what was chosen or dropped cannot be read. */
export const alertNotReadable = (t: T<UploaderWord>): void =>
  showAlert({ type: 'danger', msg: t('uploadDocumentsFailed') });

/** Announces the results each time the last upload in flight has ended. Returns the function to stop it. */
export function announceWhenDone(t: T<UploaderWord>): () => void {
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
