import type { IncomingMessage } from 'node:http';
import busboy from '@fastify/busboy';
import { PortalError } from '../runtime/errors.server.ts';

interface Limits {
  files: number;
  fields: number;
  /** The size of a field, in bytes. */
  fieldSize: number;
  /** The size of a file, in bytes; what is beyond it is left out. */
  fileSize?: number;
}

/** A parser of a multipart body, to which it is piped. INVALID unless it is one. */
export function multipartParser(contentType: string, limits: Limits) {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, parts: limits.files + limits.fields },
      preservePath: false,
    });
  } catch {
    throw new PortalError('INVALID', { expected: 'multipart/form-data' });
  }
}

/**
 * The name of a file in a multipart body: browsers write quotes and line breaks in it as escapes (HTML, multipart form
 * data), and nothing else, so an upload of a plain form has the same name as any other.
 */
export const uploadedName = (name: string): string =>
  name.replaceAll(/%(?:22|0D|0A)/gi, (escape) => decodeURIComponent(escape));

const FORM = { files: 20, fields: 1000, fieldSize: 256 * 1024 };
/** The characters of all fields of a form, as without files. */
const MAX_FIELDS_LENGTH = 1024 * 1024;

/**
 * Reads the form of a page with files into memory. Of a file with more than `maxFileBytes`, one byte more is read and the
 * rest discarded, so that the page can say so beside its field and has everything else. INVALID if the form is malformed
 * or breaks off, or its fields are too long.
 */
export function readFilesForm(request: IncomingMessage, maxFileBytes: number): Promise<FormData> {
  const parser = multipartParser(request.headers['content-type'] ?? '', {
    ...FORM,
    fileSize: maxFileBytes + 1,
  });
  const form = new FormData();
  let length = 0;
  return new Promise<FormData>((resolve, reject) => {
    const refuse = (cause: string): void => reject(new PortalError('INVALID', { cause }));
    parser.on('field', (name: string, value: string, isNameCut: boolean, isValueCut: boolean) => {
      length += name.length + value.length;
      if (isNameCut || isValueCut || length > MAX_FIELDS_LENGTH) refuse('fields');
      else form.append(name, value);
    });
    parser.on('file', (field, bytes, name: string | undefined, _encoding, type) => {
      const chunks: Buffer<ArrayBuffer>[] = [];
      bytes.on('data', (chunk: Buffer<ArrayBuffer>) => chunks.push(chunk));
      bytes.on('error', () => undefined); // the parser fails, too
      bytes.on('end', () => form.append(field, new File(chunks, uploadedName(name ?? ''), { type })));
    });
    for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
      parser.on(limit, () => refuse(limit));
    parser.on('finish', () => resolve(form));
    parser.on('error', () => refuse('malformed'));
    request.on('error', () => refuse('aborted'));
    request.on('close', () => {
      if (!request.complete) refuse('aborted');
    });
    request.pipe(parser);
  }).catch((error: unknown) => {
    request.unpipe(parser);
    request.resume();
    throw error;
  });
}
