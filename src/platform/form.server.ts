import { PortalError } from './errors.server.ts';

const forms = new WeakMap<Request, Promise<FormData>>();

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
  try {
    return await request.clone().formData();
  } catch {
    // the client's mistake: nothing to log
    throw new PortalError('INVALID');
  }
}
