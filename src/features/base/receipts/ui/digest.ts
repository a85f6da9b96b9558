/*
 * The script of the receipt verification page: computes the SHA-256 of a chosen or dropped file and fills it
 * in. The file is never sent. Without a secure context it cannot be computed, and the file field is
 * hidden.
 */

const field = document.querySelector<HTMLInputElement>('#file');
const digest = document.querySelector<HTMLInputElement>('#verify-sha256');
const message = document.querySelector<HTMLElement>('[data-file-done]');

async function fillIn(file: File): Promise<void> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  if (digest) digest.value = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (message) message.textContent = (message.dataset['fileDone'] ?? '').replace('{{name}}', file.name);
}

const place = document.querySelector<HTMLElement>('[data-file]');
if (place && !isSecureContext) place.hidden = true;
field?.addEventListener('change', () => {
  const [file] = field.files ?? [];
  if (file) void fillIn(file);
});
