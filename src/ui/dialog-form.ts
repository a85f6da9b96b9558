/**
 * Loads the form of another page into a dialog, at `data-form-of`. If there is none, opens the page instead.
 * Returns false without a connection.
 */
export async function fetchForm(place: HTMLElement): Promise<boolean> {
  const address = place.dataset['formOf'] ?? '';
  const answer = await fetch(address).catch(() => undefined);
  if (!answer) return false;
  const form =
    answer.ok &&
    !answer.redirected &&
    new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main form');
  if (form) {
    place.replaceWith(form);
    // restores input from before the session expired (typed-forms.ts)
    document.dispatchEvent(new Event('portal:form'));
    form.querySelector<HTMLElement>('input')?.focus();
  } else location.assign(address);
  return true;
}
