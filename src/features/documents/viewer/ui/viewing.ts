import { zoomSteps, type Zoom } from '../viewer.ts';

/*
 * What scripts add to the viewer: the number of the page in sight, turning pages without loading them again, the
 * arrow keys between documents, steps from the size that is shown, and what becomes of images.
 */

const all = <Found extends HTMLElement>(selector: string, root: ParentNode = document): Found[] => [
  ...root.querySelectorAll<Found>(selector),
];

function setLink(link: HTMLElement | null, address: string | undefined): void {
  if (!link) return;
  if (address === undefined) {
    link.removeAttribute('href');
    link.setAttribute('aria-disabled', 'true');
  } else {
    link.setAttribute('href', address);
    link.removeAttribute('aria-disabled');
  }
}

/** Keeps the number of the page in sight in the bar, and its arrows leading to the pages beside it. */
function followPages(bar: HTMLElement): void {
  const { first, last, later } = bar.dataset;
  const [from, to] = [Number(first), Number(last)];
  const field = bar.querySelector<HTMLInputElement>('[name=page]');
  const [back, on] = ['-1', '1'].map((step) => bar.querySelector<HTMLElement>(`[data-step="${step}"]`));
  const earlier = back?.getAttribute('href') ?? undefined;
  const pages = all('.page');
  const inSight = (): number => {
    const line = innerHeight * 0.4;
    const passed = pages.findLastIndex((page) => page.getBoundingClientRect().top <= line);
    return from + Math.max(0, passed);
  };
  let shown = 0;
  const update = (): void => {
    const page = inSight();
    if (page === shown) return;
    shown = page;
    if (field && document.activeElement !== field) field.value = String(page);
    setLink(back ?? null, page > from ? `#page-${page - 1}` : earlier);
    setLink(on ?? null, page < to ? `#page-${page + 1}` : later);
  };
  let isWaiting = false;
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        update();
      });
    },
    { passive: true },
  );
  field?.form?.addEventListener('submit', (event) => {
    const page = Number(field.value);
    if (!(page >= from && page <= to)) return;
    event.preventDefault();
    location.hash = `page-${page}`;
  });
  update();
}

/** Lets the buttons for the size continue from the size that fits the width. */
function stepFromFit(): void {
  const image = document.querySelector<HTMLElement>('.scroll:not(.is-zoomed) .page-image');
  if (!image) return;
  const steps = zoomSteps((100 * image.clientWidth) / Number(image.getAttribute('width')));
  const addressOf = (zoom: Zoom | undefined): string | undefined =>
    document.querySelector(`[data-zoom="${zoom}"]`)?.getAttribute('href') ?? undefined;
  setLink(document.querySelector('[data-zoom-by="-1"]'), addressOf(steps.smaller));
  setLink(document.querySelector('[data-zoom-by="1"]'), addressOf(steps.larger));
}

/** The code of the error that an address answers with: an image does not tell it. A page that failed is not drawn again. */
async function errorCodeAt(address: string): Promise<string> {
  try {
    const answer = (await (await fetch(address)).json()) as { errors?: { code?: string }[] };
    return answer.errors?.[0]?.code ?? '';
  } catch {
    return ''; // no connection, or the image this time
  }
}

/** Marks a page whose image is there, and tells of one that did not come. */
function watchImage(image: HTMLImageElement): void {
  const paper = image.parentElement;
  const loaded = (): void => paper?.classList.add('is-loaded');
  const failed = async (): Promise<void> => {
    if (!paper || paper.classList.contains('is-failed')) return;
    paper.classList.add('is-failed');
    const text = document.createElement('p');
    text.role = 'status';
    paper.append(text);
    const { failed: unknown, tooHeavy, unreadable } = paper.dataset;
    const texts: Record<string, string | undefined> = { TOO_HEAVY: tooHeavy, UNREADABLE: unreadable };
    text.textContent = texts[await errorCodeAt(image.currentSrc || image.src)] ?? unknown ?? '';
  };
  if (image.complete && image.naturalWidth > 0) return loaded();
  if (image.complete && image.loading === 'eager') return void failed();
  image.addEventListener('load', loaded);
  image.addEventListener('error', () => void failed());
}

/** Where the arrow keys already do something else. */
const USES_ARROWS = 'input, textarea, select, dialog, details.menu[open], [tabindex="0"]';

function turnDocument(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const rel = { ArrowLeft: 'prev', ArrowRight: 'next' }[event.key];
  if (rel === undefined || (event.target instanceof Element && event.target.closest(USES_ARROWS))) return;
  if (document.querySelector('dialog[open]')) return;
  document.querySelector<HTMLAnchorElement>(`.in-bar a[rel=${rel}][href]`)?.click();
}

/** Opens the comments from the bar, and closes them there where they are beside the document. */
function showComments(event: MouseEvent): void {
  if (!(event.target instanceof Element)) return;
  const link = event.target.closest('.viewer-bar a[href^="#"]');
  const menu = link?.closest<HTMLDetailsElement>('details.menu');
  if (menu) menu.open = false;
  const panel = document.querySelector<HTMLDetailsElement>('.viewer-comments');
  if (!panel || link?.getAttribute('href') !== '#comments') return;
  event.preventDefault();
  panel.open = !(panel.open && getComputedStyle(panel).position === 'sticky');
  if (!panel.open) return;
  panel.scrollIntoView({ block: 'nearest' });
  panel.querySelector('summary')?.focus();
}

const bar = document.querySelector<HTMLElement>('[data-pages]');
if (bar) followPages(bar);
stepFromFit();
all<HTMLImageElement>('.page-image').forEach(watchImage);
document.addEventListener('keydown', turnDocument);
document.addEventListener('click', showComments);
