const STAFF_WAITS = 1000;

/** Switches without leaving the page; without scripts, the form posts to the switch page. */
export function switchInMenu(menu: HTMLElement): void {
  menu.querySelector('form')?.addEventListener('submit', (event) => {
    const { submitter } = event;
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    void switchTo(menu, submitter);
  });
}

/**
 * Switches to another account: reports it, and leads staff to the staff area after a second (spec 1 section
 * 2, /staff/).
 */
async function switchTo(menu: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const home = menu.dataset['linkedAccounts'] ?? '/';
  const status = menu.querySelector('[role=status]');
  if (status) status.textContent = button.dataset['switching'] ?? '';
  for (const each of menu.querySelectorAll('button')) each.disabled = true;
  const answer = await import('#platform/http/http.ts') // only now: it would be two more requests for every page
    .then(({ http }) =>
      http.post('/api/security/v1/account-switch', {
        json: { contactId: button.value },
        retry: 0,
        timeout: false,
        throwHttpErrors: false,
      }),
    )
    .catch(() => undefined);
  if (answer?.status === 401) return; // the client leads to the sign-in
  // its page leads to the second step that the other firm requires
  if (answer?.status === 403 && button.form) return submitPlainly(button.form, button);
  if (!answer?.ok) return location.assign(`${home}not-authorized`);
  const { staff } = (await answer.json()) as { staff: boolean };
  setTimeout(() => location.assign(home + (staff ? 'staff/' : '')), staff ? STAFF_WAITS : 0);
}

/** Sends the form as without scripts; disabled buttons are not sent. */
function submitPlainly(form: HTMLFormElement, { name, value }: HTMLButtonElement): void {
  form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  form.submit();
}
