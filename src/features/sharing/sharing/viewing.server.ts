import { PREVIEW_WIDTH, type View, type Width } from '#features/documents/viewer/viewer.ts';
import { pageImageOf, viewOf, type PageImage } from '#features/documents/viewer/viewer.server.ts';
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

/**
 * Returns a page of a shared document as an image, which counts as no download. Rendering is audited as a view, except
 * for HEAD requests and for the preview of the first page, which is too small to read. NOT_FOUND and GONE as in
 * {@link fileToShow}.
 */
export async function sharedPageImage(
  token: string,
  visits: string | undefined,
  documentId: string,
  { page, width, reads }: { page: number; width: Width; reads: boolean },
): Promise<PageImage & { companyId: string }> {
  const { file, asker, recipient, visit } = await fileToShow(token, visits, documentId);
  const image = pageImageOf(file, { page, width, asker });
  const isPreview = page === 1 && width === PREVIEW_WIDTH;
  const draw = async (): Promise<Buffer> => {
    const drawn = await image.draw();
    if (reads && !isPreview) await noteShown(recipient, visit, documentId);
    return drawn;
  };
  return { ...image, draw, companyId: recipient.company_id };
}
