import { useMemo } from 'react';
import { reasonFor } from '#features/documents/uploads/refusals.ts';
import { termsFrom } from '#platform/http/refused-calls.ts';
import { createTranslator, type Messages } from '#platform/text/messages.ts';
import type { EditorWord, FileWord, OwnerWord } from './editor-messages.ts';
import type { Upload, Uploads } from './use-uploads.ts';

interface Props {
  path: string;
  uploads: Uploads;
  words: Messages<FileWord>;
  ownerWords: Messages<OwnerWord>;
  t: (key: EditorWord, vars?: Record<string, string | number>) => string;
}

/** The files that are being uploaded, with their progress or why they were refused. */
export function FileUploads({ path, uploads, words, ownerWords, t }: Props) {
  const files = uploads.of(path);
  if (files.length === 0) return null;
  return (
    <ul className="file-uploads">
      {files.map((each) => (
        <li key={each.key} data-unsent={uploads.mayBeSent(each) ? '' : undefined}>
          {each.code !== undefined ? (
            <Failed {...{ uploads, words, ownerWords }} upload={{ ...each, code: each.code }} />
          ) : (
            <div className="row">
              <bdi>{each.file.name}</bdi>
              {each.isDone ? (
                <span className="hint" role="status">
                  {t('uploaded')}
                </span>
              ) : (
                <progress value={each.progress} aria-label={t('uploading', { name: each.file.name })} />
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface FailedProps extends Omit<Props, 'path' | 't'> {
  upload: Upload & { code: string };
}

/** A file that was refused: why, and what can be done. */
function Failed({ upload, uploads, words, ownerWords }: FailedProps) {
  const { key, file, code } = upload;
  const documents = useMemo(() => createTranslator(words), [words]);
  const own = useMemo(() => createTranslator(ownerWords), [ownerWords]);
  const word = uploads.ownWord(code);
  return (
    <>
      <bdi>{file.name}</bdi>
      <p className="field-error" role="alert">
        {documents('uploadFailed', { reason: word ? own(word) : reasonFor(documents, words.locale, code) })}
      </p>
      <div className="row">
        {code === 'TERMS_REQUIRED' && (
          <a className="button" href={termsFrom(location)} target="_blank">
            {documents('uploadTerms')}
          </a>
        )}
        {uploads.mayBeSent(upload) && (
          <button type="button" className="button" onClick={() => uploads.retry(key)}>
            {documents('uploadRetry')} <span className="visually-hidden">{file.name}</span>
          </button>
        )}
        <button type="button" className="button" onClick={() => uploads.remove(key)}>
          {documents('uploadRemove')} <span className="visually-hidden">{file.name}</span>
        </button>
      </div>
    </>
  );
}
