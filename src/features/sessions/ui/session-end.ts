/*
 * The end of an idle session, in every tab at once: its time is in local storage. The warning is loaded and
 * shown two minutes before. The values of forms with `data-keep`, whose value identifies them on the page,
 * stay in this tab for their owner, and are restored on the same page: no passwords, no codes, no files.
 */

const ENDS = 'ccSessionEnds';
const WARN = 120;
const dialog = document.getElementById('session-end');
const data = dialog?.querySelector<HTMLElement>('[data-seconds]')?.dataset ?? {};
const TYPED = 'ccTyped';

/**
 * A saved form with `data-keep`: the name of the form, its dialog, and its changed fields with their values.
 */
interface TypedForm {
  form: string;
  dialog: string | undefined;
  fields: [name: string, value: string, isOn: boolean][];
}
type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Never stored, even while a password is shown as text. */
const SECRET =
  '[type=password], [autocomplete*=password], [autocomplete=one-time-code], [name=code], [type=file], [type=hidden]';
const isChoice = (field: Field): field is HTMLInputElement => field.matches('[type=checkbox], [type=radio]');
const fieldsOf = (form: HTMLFormElement): Field[] =>
  ([...form.elements] as Field[]).filter(
    (field) => field.matches('input[name], textarea[name], select[name]') && !field.matches(SECRET),
  );

function isChanged(field: Field): boolean {
  if (isChoice(field)) return field.checked !== field.defaultChecked;
  if (!(field instanceof HTMLSelectElement)) return field.value !== field.defaultValue;
  return (
    field.selectedIndex !==
    Math.max(
      0,
      [...field.options].findIndex((option) => option.defaultSelected),
    )
  );
}

/**
 * The forms that the server returned with submitted values, which are the defaults there but stored nowhere.
 * They are those that error links point into; without errors, as in a preview, all forms that post.
 */
function formsSentBack(): Set<Element> {
  if (data['posted'] === undefined) return new Set();
  const links = document.querySelectorAll<HTMLAnchorElement>('.error-summary a');
  const owners = [...links].flatMap(({ hash }) => {
    const form = document.getElementById(hash.slice(1))?.closest('form');
    return form ? [form] : [];
  });
  return new Set(owners.length > 0 ? owners : document.querySelectorAll('form[method=post]'));
}

let restoring: TypedForm[] = [];

/**
 * Restores saved values into the forms of the page; the form of a dialog is created when its dialog opens
 * (kit.ts).
 */
function fill(): void {
  restoring = restoring.filter(({ form: name, fields }) => {
    const form = document.querySelector<HTMLFormElement>(`form[data-keep="${CSS.escape(name)}"]`);
    form?.closest('details')?.setAttribute('open', '');
    for (const [key, value, isOn] of fields) {
      const field =
        form && fieldsOf(form).find((each) => each.name === key && (!isChoice(each) || each.value === value));
      if (!field) continue;
      if (isChoice(field)) field.checked = isOn;
      else field.value = value;
      for (const event of ['input', 'change']) field.dispatchEvent(new Event(event, { bubbles: true }));
    }
    return !form;
  });
}

function restore(): void {
  const {
    who,
    page,
    forms = [],
  } = JSON.parse(sessionStorage.getItem(TYPED) ?? '{}') as {
    who?: string;
    page?: string;
    forms?: TypedForm[];
  };
  if (who !== data['who'] || page === location.pathname) sessionStorage.removeItem(TYPED);
  if (who !== data['who'] || page !== location.pathname) return;
  restoring = forms;
  fill();
  for (const { dialog } of restoring)
    if (dialog) document.querySelector<HTMLElement>(`[data-dialog="${dialog}"]`)?.click();
}

const setLeft = (seconds: number): void => localStorage.setItem(ENDS, String(Date.now() + seconds * 1000));
const restartTime = (): void => setLeft(Number(data['seconds']));

/**
 * Handles the end of the session: by the clock, because a call was refused, or as another tab noticed first.
 */
function keepTyped(): void {
  const sentBack = formsSentBack();
  const forms = [...document.querySelectorAll<HTMLFormElement>('form[data-keep]')].map((form): TypedForm => {
    const changed = fieldsOf(form).filter((field) => sentBack.has(form) || isChanged(field));
    return {
      form: form.dataset['keep'] ?? '',
      dialog: form.closest('dialog')?.id,
      fields: changed.map((field) => [field.name, field.value, isChoice(field) && field.checked]),
    };
  });
  const filled = forms.filter(({ fields }) => fields.length > 0);
  if (filled.length > 0)
    sessionStorage.setItem(
      TYPED,
      JSON.stringify({ who: data['who'], page: location.pathname, forms: filled }),
    );
}

function leave(withText: boolean): void {
  // files are selected
  if (withText && !document.dispatchEvent(new Event('portal:session-over', { cancelable: true }))) return;
  clearInterval(ticking);
  location.assign(`${data['signIn']}?r=${encodeURIComponent(location.pathname + location.search)}`);
}

let warning: Promise<(left: number) => void> | undefined;

function tick(): void {
  if (document.documentElement.dataset['over']) return;
  const ends = localStorage.getItem(ENDS);
  if (ends === null) return leave(false); // signed out in another tab
  const left = Math.ceil((Number(ends) - Date.now()) / 1000);
  if (!(dialog instanceof HTMLDialogElement) || (!warning && left > WARN)) return;
  warning ??= import('./session-warning.ts').then(({ startWarning }) =>
    startWarning({ dialog, warnAt: WARN, setLeft, leave }),
  );
  warning.then(
    (tell) => tell(left),
    () => {
      warning = undefined; // no network: asks again with the next second
      if (left <= 0) leave(true);
    },
  );
}

// Waits until every script of the page listens: they are notified of restored values as of typed ones.
if (document.readyState === 'complete') restore();
else document.addEventListener('DOMContentLoaded', restore, { once: true });
document.addEventListener('portal:form', fill);
restartTime();
const ticking = setInterval(tick, 1000);
document.addEventListener('portal:session-over', keepTyped);
// The sign-in page removed the time, and the page after it may have been closed before its scripts set it again.
document.addEventListener('portal:session-resumed', restartTime);
// On the way to the signed-out page, whose response clears the storage while this page is still shown.
document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement && target.getAttribute('action')?.endsWith('/auth/logout'))
    clearInterval(ticking);
});
