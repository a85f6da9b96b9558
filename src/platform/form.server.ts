import { PortalError } from './errors.server.ts';

/**
 * The form that was posted. What is no form, is cut off or is longer than a page takes is refused with INVALID. The request can still
 * be read afterwards, which the way to the not-found page needs.
 */
export async function formOf(request: Request): Promise<FormData> {
  try {
    return await request.clone().formData();
  } catch {
    throw new PortalError('INVALID'); // why it could not be read is the caller's fault, and nothing to look into
  }
}
