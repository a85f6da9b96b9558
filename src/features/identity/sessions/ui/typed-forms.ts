/*
 * What a session leaves unsent: the values of forms with `data-keep`, whose value identifies them on the page,
 * stay in this tab for their owner, and are restored on the same page: no passwords, no codes, no files.
 */

/**
 * A saved form with `data-keep`: the name of the form, its dialog, and its changed fields with their values.
 */
interface TypedForm {
  form: string;
  dialog: string | undefined;
  fields: [name: string, value: string, isOn: boolean][];
}
type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Storing {
  /** The key in session storage. */
  key: string;
  /** Whose values they are. */
  who: string | undefined;
  /** Whether the server returned forms with the values that were submitted. */
  wasPosted: boolean;
}

/** Never stored, even while a password is shown as text. */
const SECRET =
  '[type=password], [autocomplete*=password], [autocomplete=one-time-code], [name=code], [type=file], [type=hidden]';
const isChoice = (field: Field): field is HTMLInputElement => field.matches('[type=checkbox], [type=radio]');
const fieldsOf = (form: HTMLFormElement): Field[] =>
  ([...form.elements] as Field[]).filter(
    (field) => field.matches('input[name], textarea[name], select[name]') && !field.matches(SECRET),
  );

/** Restores the values that this page had, and stores what is typed when the session ends. */
export function keepTypedValues(storing: Storing): void {
  document.addEventListener('portal:form', fill);
  document.addEventListener('portal:session-over', () => store(storing));
  restore(storing);
}

function restore({ key, who }: Storing): void {
  const stored = JSON.parse(sessionStorage.getItem(key) ?? '{}') as {
    who?: string;
    page?: string;
    forms?: TypedForm[];
  };
  const isHere = stored.page === location.pathname;
  if (stored.who !== who || isHere) sessionStorage.removeItem(key);
  if (stored.who !== who || !isHere) return;
  restoring = stored.forms ?? [];
  fill();
  for (const { dialog } of restoring)
    if (dialog) document.querySelector<HTMLElement>(`[data-dialog="${dialog}"]`)?.click();
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

function store({ key, who, wasPosted }: Storing): void {
  const sentBack = wasPosted ? formsSentBack() : new Set();
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
    sessionStorage.setItem(key, JSON.stringify({ who, page: location.pathname, forms: filled }));
}

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
  const links = document.querySelectorAll<HTMLAnchorElement>('.error-summary a');
  const owners = [...links].flatMap(({ hash }) => {
    const form = document.getElementById(hash.slice(1))?.closest('form');
    return form ? [form] : [];
  });
  return new Set(owners.length > 0 ? owners : document.querySelectorAll('form[method=post]'));
}
