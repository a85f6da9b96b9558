import type { Readable } from 'node:stream';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { multipartParser, uploadedName } from '#platform/http/multipart.server.ts';

const MAX_FILES = 10_000;
const FEW_FIELDS = { most: 20, size: 4096 };
/** The characters of all fields of a form. */
const MAX_FORM = 2_000_000;

interface Options {
  takeField?: (name: string, value: string) => void;
  /**
   * A form with more fields, or with longer ones (bytes), is refused with TOO_LARGE. Without it a few short fields are
   * read, and what is beyond them is left out.
   */
  fields?: { most: number; size: number };
  /** How many files may be in `take` at once: one is read while the disk stores those before it. */
  atOnce?: number;
}

/**
 * Calls `take` for each file of a multipart body, one after the other, as a stream with its name and field. Nothing is
 * buffered: what `take` leaves unread is discarded. An error of `take` aborts and is rethrown. Other fields
 * go to `takeField`.
 */
export async function eachFile(
  body: Readable,
  contentType: string,
  take: (name: string, bytes: Readable, field: string) => Promise<void>,
  { takeField, atOnce = 1, fields }: Options = {},
): Promise<void> {
  if (!/^multipart\/form-data\s*;/i.test(contentType))
    throw new PortalError('TYPE_NOT_ALLOWED', { expected: 'multipart/form-data' });
  const { most, size } = fields ?? FEW_FIELDS;
  const parser = multipartParser(contentType, { files: MAX_FILES, fields: most, fieldSize: size });
  const taken: Promise<void>[] = [];
  const open = new Set<Readable>();
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('file', (field: string, bytes: Readable, name: string | undefined) => {
        open.add(bytes);
        // its reader is notified; a file that is never reached has no reader
        bytes.on('error', () => undefined);
        bytes.once('close', () => open.delete(bytes));
        const before = taken.at(-atOnce) ?? Promise.resolve();
        const done = before
          .then(() => (name ? take(uploadedName(name), bytes, field) : undefined))
          .finally(() => bytes.resume());
        done.catch(reject);
        taken.push(done);
      });
      const refuse = (): void => reject(new PortalError('TOO_LARGE', { mostFields: fields?.most }));
      let length = 0;
      parser.on('field', (name: string, value: string, isNameCut: boolean, isValueCut: boolean) => {
        length += value.length;
        if (fields && (isNameCut || isValueCut || length > MAX_FORM)) refuse();
        else takeField?.(name, value);
      });
      parser.on('fieldsLimit', () => fields && refuse());
      parser.on('finish', () => resolve());
      parser.on('filesLimit', () => reject(new PortalError('TOO_LARGE', { mostFiles: MAX_FILES })));
      parser.on('error', () => reject(new PortalError('INVALID', { expected: 'multipart/form-data' })));
      body.on('error', reject);
      body.on('aborted', () => reject(new PortalError('INVALID', { cause: 'aborted' })));
      body.pipe(parser);
    });
    await Promise.all(taken);
  } catch (error) {
    body.unpipe(parser);
    body.resume();
    parser.destroy();
    // Notifies the current reader that the rest of the file will not come.
    for (const bytes of open) bytes.destroy(new PortalError('INVALID', { cause: 'aborted' }));
    await Promise.allSettled(taken);
    throw error;
  }
}
