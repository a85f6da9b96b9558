import { PortalError } from '../runtime/errors.server.ts';

const forms = new WeakMap<Request, Promise<FormData>>();

/** How a page receives files: the size of each in bytes, and a function that reads a form with files that large. */
interface FileReception {
  maxBytes: number;
  read: () => Promise<FormData>;
}

const receptions = new WeakMap<Request, FileReception>();

/** Lets the form of a request have files. Forms of other pages may have 1 MiB in all. */
export const receiveFiles = (request: Request, reception: FileReception): void =>
  void receptions.set(request, reception);

/** How large each file of the form of this page may be, in bytes; undefined for a page that receives none. */
export const fileLimitOf = (request: Request): number | undefined => receptions.get(request)?.maxBytes;

/**
 * Reads a posted form; INVALID when it is malformed, truncated or too large. It is read once for each request,
 * however many parts of a page ask for it, so nobody changes it. The request body stays readable, which
 * rendering the not-found page needs.
 */
export function formOf(request: Request): Promise<FormData> {
  const form = forms.get(request) ?? read(request);
  forms.set(request, form);
  return form;
}

async function read(request: Request): Promise<FormData> {
  const reception = receptions.get(request);
  const hasFiles = request.headers.get('content-type')?.toLowerCase().startsWith('multipart/') ?? false;
  try {
    return await (reception && hasFiles ? reception.read() : request.clone().formData());
  } catch {
    // the client's mistake: nothing to log
    throw new PortalError('INVALID');
  }
}
