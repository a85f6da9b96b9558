import { $selection } from '#ui/table/state.ts';
import { canFetch, cancelExport, exportState, startExport } from '../calls.ts';

const POLL = 1000; // spec 1 section 9

/**
 * 'Download' of the documents page with scripts: a single document is downloaded directly; several become a
 * job that is polled every second, and then the archive is downloaded. The progress shown is a fragment of
 * the job's page without scripts.
 */
export async function download(button: HTMLButtonElement): Promise<void> {
  const ids = $selection.get().map(({ id }) => id);
  if (ids.length === 1)
    return void button.form
      ?.querySelector<HTMLElement>('tr:has(input[name=id]:checked) a[href^="/api/"]')
      ?.click();
  await run(button, ids);
}

async function run(button: HTMLButtonElement, ids: readonly string[]): Promise<void> {
  const jobId = ids.length > 0 ? await startExport(ids) : undefined;
  if (jobId === undefined) return button.form?.requestSubmit(button); // the page shows the error
  const panel = placeFor(button);
  await show(panel, button, jobId);
  for (let status = panel.dataset['status']; status === 'PENDING';) {
    await new Promise((resolve) => setTimeout(resolve, POLL));
    if (panel.dataset['job'] !== jobId) return; // another download has replaced this one
    const { jobStatus, place, progress } = await exportState(jobId);
    status = jobStatus;
    if (status === 'PENDING' && panel.dataset['place'] === String(place)) showProgress(panel, progress);
    else await show(panel, button, jobId);
  }
  await fetchResult(panel, button, jobId);
  for (const form of panel.querySelectorAll<HTMLFormElement>('[data-again]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void run(button, ids);
    });
  }
}

/**
 * One place under the buttons for all downloads of this page: on a phone both are within reach of the thumb.
 */
function placeFor(button: HTMLElement): HTMLElement {
  const known = document.querySelector<HTMLElement>('[data-download-place]');
  if (known) return known;
  const place = document.createElement('div');
  place.dataset['downloadPlace'] = '';
  button.closest('.tools')?.append(place);
  return place;
}

/** Shows the current state of the job's page. */
async function show(place: HTMLElement, button: HTMLButtonElement, jobId: string): Promise<void> {
  const answer = await fetch(
    `${button.formAction.replace('/documents/download', '/partials/download').split('?', 1)[0] ?? ''}?job=${jobId}`,
    { headers: { 'X-Background': '1' } },
  );
  const part = new DOMParser()
    .parseFromString(await answer.text(), 'text/html')
    .querySelector<HTMLElement>('[data-export]');
  if (!part) return location.reload(); // the session or the job has ended
  place.replaceChildren(part);
  Object.assign(place.dataset, { job: jobId, status: part.dataset['export'], place: part.dataset['place'] });
  for (const close of part.querySelectorAll<HTMLElement>('[data-close-alert]')) close.hidden = false;
  part.querySelector<HTMLFormElement>('[data-cancel]')?.addEventListener('submit', (event) => {
    event.preventDefault();
    void cancelExport(jobId);
  });
  const status = document.getElementById('status');
  if (status) status.textContent = part.querySelector('p')?.textContent ?? '';
}

function showProgress(place: HTMLElement, { checked, total }: { checked: number; total: number }): void {
  const [bar, text] = [place.querySelector('progress'), place.querySelector<HTMLElement>('[data-text]')];
  if (bar) bar.value = checked;
  if (text)
    text.textContent = (text.dataset['text'] ?? '')
      .replace('{{checked}}', String(checked))
      .replace('{{total}}', String(total));
}

/** Only SUCCESS starts the download automatically (spec 1 section 8). */
async function fetchResult(place: HTMLElement, button: HTMLButtonElement, jobId: string): Promise<void> {
  const link =
    place.dataset['status'] === 'SUCCESS' ? place.querySelector<HTMLAnchorElement>('[data-result]') : null;
  if (!link) return;
  if (await canFetch(link.href)) link.click();
  else await show(place, button, jobId);
}
