/*
 * The page that checks a receipt, with scripts: the SHA-256 of a chosen or dropped file is computed here and
 * filled in. The file is never sent. A page that is not secure cannot compute it; the field for the file
 * stays away then.
 */

const field = document.querySelector<HTMLInputElement>('#file');
const digest = document.querySelector<HTMLInputElement>('#verify-sha256');
const said = document.querySelector<HTMLElement>('[data-file-done]');

async function fillIn(file: File): Promise<void> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  if (digest) digest.value = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (said) said.textContent = (said.dataset['fileDone'] ?? '').replace('{{name}}', file.name);
}

const place = document.querySelector<HTMLElement>('[data-file]');
if (place && isSecureContext) place.hidden = false;
field?.addEventListener('change', () => {
  const [file] = field.files ?? [];
  if (file) void fillIn(file);
});
