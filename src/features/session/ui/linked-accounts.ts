const STAFF_WAITS = 1000;

/** Goes on as another account: says so, and leads staff to the staff area after a second (spec 1 section 2, /staff/). */
export async function switchTo(menu: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const home = menu.dataset['linkedAccounts'] ?? '/';
  const status = menu.querySelector('[role=status]');
  if (status) status.textContent = button.dataset['switching'] ?? '';
  for (const each of menu.querySelectorAll('button')) each.disabled = true;
  const answer = await fetch('/api/security/v1/account-switch', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ contactId: button.value }) }).catch(() => undefined);
  if (!answer?.ok) return location.assign(`${home}not-authorized`);
  const { staff } = (await answer.json()) as { staff: boolean };
  setTimeout(() => location.assign(home + (staff ? 'staff/' : '')), staff ? STAFF_WAITS : 0);
}
