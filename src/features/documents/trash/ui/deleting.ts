import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { offlineText } from '#ui/offline.ts';
import { $selection } from '#ui/table/state.ts';
import { createTranslator, type Messages } from '#platform/text/messages.ts';
import { deleteDocuments } from '../calls.ts';
import type { BatchDelete, Deleted } from '../trash.ts';
import type { TrashWord } from './trash-messages.ts';

/*
 * Deletes the selected documents with scripts (spec 1 sections 2 and 8): the form of the confirmation page in
 * a dialog, the call, and the alert with the results. It is loaded on demand.
 */

/** The contents of the page's form: the documents, the texts, the link to the trash. */
interface Deletion {
  chosen: BatchDelete;
  names: Record<string, string>;
  words: Messages<TrashWord>;
  /** The question about documents that others uploaded. */
  perms: string;
  /** The notice that some are locked. */
  locked: string;
  trash: string;
}

const SUCCESS_TIMEOUT = 2800;

/**
 * Asks for confirmation and deletes the selected documents. If there is nothing to confirm, it shows an
 * alert, or opens the page instead.
 */
export async function confirmDeletion(button: HTMLButtonElement): Promise<void> {
  const selected = new URLSearchParams($selection.get().map(({ id }) => ['id', id]));
  const address = `${button.formAction}?${selected}`;
  const answer = await fetch(address).catch(() => undefined);
  if (!answer) return showAlert({ type: 'danger', msg: offlineText() });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const form = page.querySelector<HTMLFormElement>('main form[data-deletion]');
  const nothing = page.querySelector('main [data-nothing-chosen]');
  if (!answer.ok || answer.redirected || (!form && !nothing)) return location.assign(address);
  if (!form) return showAlert({ type: 'info', msg: nothing?.textContent ?? '', timeout: STANDARD_TIMEOUT });
  openDialog(form, page.querySelector('main h1')?.textContent ?? '');
}

function openDialog(form: HTMLFormElement, title: string): void {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('role', 'alertdialog');
  dialog.setAttribute('aria-labelledby', 'deletion-title');
  const heading = document.createElement('h2');
  heading.id = 'deletion-title';
  heading.textContent = title;
  form.prepend(heading);
  form.classList.remove('card');
  dialog.append(form);
  dialog.addEventListener('close', () => dialog.remove());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void remove(form, dialog);
  });
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector<HTMLElement>('[data-close-dialog]')?.focus(); // the safe choice
}

async function remove(form: HTMLFormElement, dialog: HTMLDialogElement): Promise<void> {
  const deletion = JSON.parse(form.dataset['deletion'] ?? '') as Deletion;
  const outcomes = await deleteDocuments(deletion.chosen);
  if (!outcomes)
    return showProblem(
      form,
      navigator.onLine ? createTranslator(deletion.words)('documentsDeleteGenericError') : offlineText(),
    );
  dialog.close();
  tell(outcomes, deletion);
  document.dispatchEvent(new Event('portal:documents-changed'));
}

/** Shows in the dialog why nothing was deleted: it stays open to try again. */
function showProblem(form: HTMLFormElement, text: string): void {
  form.querySelector('[data-problem]')?.remove();
  form.removeAttribute('aria-busy');
  form.closest('dialog')?.querySelector('.busy')?.remove();
  const message = Object.assign(document.createElement('p'), {
    className: 'field-error',
    role: 'alert',
    tabIndex: -1,
    textContent: text,
  });
  message.dataset['problem'] = '';
  form.querySelector('h2')?.after(message);
  message.focus();
}

function tell(outcomes: Deleted[], { names, words, perms, locked, trash }: Deletion): void {
  const t = createTranslator(words);
  const of = (result: Deleted['result']): string[] =>
    outcomes.filter((one) => one.result === result).map(({ id }) => id);
  const named = (ids: string[]): string[] => ids.map((id) => names[id] ?? t('aDocument'));
  const deleted = of('DELETED');
  const fields: [string, string][] = [
    ...deleted.map((id): [string, string] => ['id', id]),
    ['do', 'restore'],
    ['r', location.pathname + location.search],
  ];
  const undo = deleted.length > 0 ? { clickAction: { label: t('undo'), address: trash, fields } } : {};
  if (deleted.length === outcomes.length)
    return showAlert({
      type: 'success',
      msg: t('deleteDocumentsSuccessAlertMsg', { count: deleted.length }),
      timeout: SUCCESS_TIMEOUT,
      ...undo,
    });
  const lists = [
    { msg: t('deleteDocumentsErrorMulti'), items: named(of('NOT_FOUND')) },
    { msg: perms, items: named(of('FORBIDDEN')) },
    { msg: locked, items: named(of('LOCKED')) },
  ].filter(({ items }) => items.length > 0);
  showAlert({
    type: deleted.length > 0 ? 'info' : 'danger',
    msg: t('documentsDeleteErrorCount', { count: outcomes.length - deleted.length }),
    modalMsg: lists[0]?.msg ?? '',
    modalItems: lists[0]?.items ?? [],
    ...(lists[1] && {
      modalMsgLower: lists[1].msg,
      modalItemsLower: lists.slice(1).flatMap(({ items }) => items),
    }), // an alert has two lists
    ...undo,
  });
}
