import type { View } from '#features/viewer/viewer.ts';
import { viewOf } from '#features/viewer/viewer.server.ts';
import { noteShown, fileToShow } from './recipient.server.ts';

/** A shared document as the viewer shows it. */
export interface SharedView {
  name: string;
  companyId: string;
  view: View;
}

/**
 * Shows a shared document to the visitor who opened the link: no download, but in the audit log, once for each visit.
 * NOT_FOUND and GONE as in {@link fileToShow}.
 */
export async function viewSharedDocument(
  token: string,
  visits: string | undefined,
  documentId: string,
  { page, find }: { page: number; find?: string | undefined },
): Promise<SharedView> {
  const { file, asker, recipient, visit } = await fileToShow(token, visits, documentId);
  const view = await viewOf(file, { page, find, asker });
  if (view.kind !== 'none') await noteShown(recipient, visit, documentId);
  return { name: file.name, companyId: recipient.company_id, view };
}
